# One job of each program under valgrind: no byte read that was not written, none lost at the end.
load ../helper

# A word and not a function: the shell that ran one would hold the pipes open that score is to end.
VALGRIND='valgrind -q --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all
    --error-exitcode=9'

@test "under valgrind every program is clean, and frees all memory" {
    in_release
    command -v valgrind || skip "no valgrind here"
    not_sanitized "valgrind cannot run them"
    set -o pipefail
    small_text >text
    mkfifo ring
    $VALGRIND svm2bin text >rounds
    $VALGRIND svm2bin -n text >scaled
    $VALGRIND update -a squared -e 0.1 -m scaling <scaled
    $VALGRIND score -m scaling <rounds >scored
    [ "$(bin2txt -f head scored | wc -l)" = 3 ]
    $VALGRIND synth -n 3 linear >made
    for way in log rank scale; do $VALGRIND features $way <rounds >changed; done
    $VALGRIND replay -n 8 -s 1 rounds made | $VALGRIND score -f ring -w 2 | $VALGRIND explore -g 0.5 |
        $VALGRIND metric -t table ndcg@10 err loss:listnet | $VALGRIND feedback-mask -k 2 |
        $VALGRIND update -a kl -e 0.1 -U 1 -f ring -m model -c 3
    [ "$(tail -n 1 table | cut -f 1)" = 8 ]
    $VALGRIND score -m model <rounds | $VALGRIND explore | $VALGRIND bin2txt -f rank >ranks
    [ "$(wc -l <ranks)" = 7 ]
    $VALGRIND bin2txt -f tsv model | $VALGRIND weights2bin >back
    $VALGRIND bin2txt -f tsv back >weights
    bin2txt -f tsv model >want
    same want weights
    $VALGRIND loop 'replay -n 8 -s 1 rounds made | score -w 2 | explore -g 0.5 |
        metric -t looped ndcg@10 err loss:listnet | feedback-mask -k 2 |
        update -a kl -e 0.1 -U 1 -m again'
    same model again
    same table looped
}

@test "under valgrind a job that fails is clean too" {
    in_release
    command -v valgrind || skip "no valgrind here"
    not_sanitized "valgrind cannot run them"
    small_text | svm2bin >rounds
    head -c 250 rounds >cut
    fails_on cut 1 'update: <stdin>: stream cut short after round *' \
        $VALGRIND update -a listnet -e 1 -m model
    fails_on rounds 1 'feedback-mask: <stdin>: round 1 *: needs order: *' $VALGRIND feedback-mask
    fails 2 'loop: score: no weights: *' $VALGRIND loop 'replay rounds | score'
    echo '1 qid:a 1:x' >text
    fails_on text 1 "svm2bin: <stdin>: line 1: *" $VALGRIND svm2bin
    echo 'rankpipe/1 round docs=1 dim=0 bytes=0' >unnumbered
    fails_on unnumbered 1 'explore: <stdin>: round *: key t= is missing' $VALGRIND explore -g 1
    printf '1 2\n3 4 5\n' >text
    fails_on text 1 "weights2bin: <stdin>: line 2: *" $VALGRIND weights2bin
}
