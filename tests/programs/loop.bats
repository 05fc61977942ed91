# loop: the same bytes as the pipeline it is given, in one process.
load ../helper
load ../models
load ../runs

# piped TEXT OUT: the pipeline as a shell runs it, and loop's own, must leave the same in OUT and in
# `model` and `table`, where it writes these.
piped() {
    local text=$1
    bash -o pipefail -c "$text" >piped.out
    for file in model table; do [ ! -e $file ] || mv $file piped.$file; done
    loop "$text" >out
    same piped.out out
    for file in model table; do [ ! -e piped.$file ] || same piped.$file $file; done
    rm -f model table piped.model piped.table
}

@test "for every learner the model and the table are the ring's, dense, sparse and fixed lists" {
    slow
    stored_rounds
    for run in $RUNS; do
        settings ${run%.*}
        piped "replay -n 90 -s 3 ${run#*.} | score -f ring | explore $shown |
            metric -e 7 -t table ndcg@10 map err@3 | feedback-mask -k $k |
            update $options -f ring -m model"
    done
}

@test "feedback that comes late is as late as in the ring" {
    stored_rounds
    for window in 2 7 64; do
        for run in kl.dense kl.sparse ranksvm.sparse squared.sparse prank.sparse memory.dense \
            memory.sparse ftpl-blocks.fixed; do
            settings ${run%.*}
            piped "replay -n 90 ${run#*.} | score -f ring -w $window | explore $shown |
                metric -t table ndcg@10 | feedback-mask -k $k | update $options -f ring"
        done
    done
}

@test "any chain: a source, filters, a sink, or standard input and output at the ends" {
    stored_rounds
    small_text >text
    svm2bin <text >stream
    update -a listnet -e 0.1 <stream >w
    piped 'svm2bin text | score -m w | explore -g 0.5 -s 2'
    piped 'synth -n 20 linear'
    piped 'replay -n 50 -s 1 stream | update -a listnet -e 0.1'
    piped 'svm2bin <text | score -m w | explore | bin2txt -f run'
    piped 'replay stream stream | score -m w | explore | metric ndcg map'
    piped 'bin2txt -f head stream stream'
    # what it does not deal itself comes on standard input
    score -m w <stream | explore >shown
    loop 'score -m w | explore' <stream >out
    same shown out
    loop 'score -m w | explore | metric ndcg' <stream >out
    metric ndcg <shown | cmp - out
    cat w stream | loop 'score -m w' | bin2txt -f head >out # models pass
    [ "$(head -n 1 out | cut -d ' ' -f 2)" = model ]
    # a loop is a program of a pipeline like any other
    synth -n 30 linear | loop 'score -d 10 -m w | explore' | loop 'feedback-mask -k all' | update -a slam -e 1 >a
    loop 'synth -n 30 linear | score -d 10 -m w | explore | feedback-mask -k all | update -a slam -e 1' >b
    same a b
}

@test "stopping and going on with loop, with the ring, and never: the same model" {
    stored_rounds
    text() { echo "replay $1 dense | score -f ring | explore -g 0.3 | feedback-mask | update -a kl -e 0.003 -U 2 -f ring -m $2"; }
    loop "$(text '-n 40' a)"
    bash -c "$(text '-b 41 -n 70' a)"
    loop "$(text '-b 71 -n 100' a)"
    loop "$(text '-n 100' b)"
    same a b
}

@test "words, quotes, backslashes, newlines and comments are sh's" {
    small_text >'a b'
    cp 'a b' "it's" && cp 'a b' '$x#' && cp 'a b' 'q"q' && cp 'a b' 'back\slash'
    for word in "'a b'" '"a b"' 'a\ b' "a' 'b" '"it'\''s"' "it\\'s" "'\$x#'" '"\$x#"' '\$x#' '"q\"q"' \
        "'back\\slash'" '"back\slash"' 'back\\slash'; do
        piped "svm2bin $word | bin2txt -f head"
    done
    cp 'a b' $'back\\\nline' # a quoted backslash joins no lines
    piped $'svm2bin "back\\\\\nline" | bin2txt -f "he\\\nad"'
    piped '
        # the queries
        svm2bin   "a b" |   # as they lie
            score -m \
                w |

            explore -g 1
        # and no more
        ' 2>/dev/null || [ ! -e w ]
    small_text | svm2bin | update -a listnet -e 1 >w
    piped '
        # the queries
        svm2bin   "a b" |   # as they lie
            score -m \
                w |

            explore -g 1
        # and no more
        '
    piped "<'a b' svm2bin|bin2txt -f 'he'\"ad\">table"
}

@test "what only a shell can do is refused by name" {
    refused() {
        fails 2 "loop: $2" loop "$1"
    }
    for text in 'replay $x' 'replay "$x"' 'replay `x`' 'replay *.bin' 'replay x?' 'replay [x]' \
        'replay x; replay y' 'replay x & replay y' '(replay x)' '{ replay x; }' 'replay ~/x' \
        'replay x || replay y' 'replay x |& bin2txt' 'replay x 2>err' 'replay x >>out' \
        'replay x >&2' 'replay <<x'; do
        refused "$text" 'only a shell can do that (quote it to use it literally), at *'
    done
    refused "replay 'x" "a quote that is not closed, at *x*"
    refused 'replay "x' 'a quote that is not closed, at *x*'
    refused 'replay x\' 'a backslash at the end, *'
    refused '' 'a program is missing, *'
    refused 'replay x |' 'a program is missing, *'
    refused '| replay x' 'a program is missing, *'
    refused 'replay x
        bin2txt' 'a second command: join commands with |, at *bin2txt*'
    refused 'replay x | bin2txt <y' "< 'y' comes after a |: *"
    refused 'replay x >y | bin2txt' "> 'y' comes before a |: *"
    refused $'replay x | bin2txt <\ec' "< '\\\\x1bc' comes after a |: *"
    refused 'svm2bin <x <y' 'a second <, at *'
    refused 'svm2bin <' 'no file after <, *'
}

@test "a program that cannot run in a loop, or not in that place, is named" {
    small_text | svm2bin >stream
    refused() {
        fails 2 "loop: $2" loop "$1"
    }
    refused 'replay stream | sort' "cannot run 'sort': choose from svm2bin, log2bin, judge, weights2bin, replay*"
    refused 'replay stream | loop x' "cannot run 'loop': choose from svm2bin, *"
    refused 'replay stream | metric ndcg | bin2txt' 'metric passes no rounds on: it can only be the last program, unless it has -t file*'
    refused 'update -a kl -e 1 | bin2txt' 'update passes no rounds on: it can only be the last program*'
    refused 'replay stream | replay stream' 'replay does not read a pipe here: it can only be the first program*'
    refused 'replay stream | bin2txt stream' 'bin2txt does not read a pipe here: it can only be the first program*'
    refused 'replay -x stream' 'replay: *-x*'
    refused 'replay stream | explore -g 2' 'explore: -g wants *'
    refused 'replay -h' 'replay -h: run it outside of loop*'
    refused 'replay stream | score | explore' 'score: no weights: give -m model or -f ring*'
}

@test "errors say the program and the round" {
    mkstream round t=1 docs=2 dim=1 label:f4 1 0 x:f4 1 2 + round t=2 docs=2 dim=1 x:f4 1 2 >stream
    fails 1 'loop: round 2: update: needs seen or label: *' \
        loop 'replay stream | update -a slam -e 1'
    fails_on stream 1 'loop: <stdin>: round 2: update: needs seen or label: *' \
        loop 'update -a slam -e 1'
    fails 1 'loop: replay: cannot open nothing: *' loop 'replay nothing | update -a slam -e 1'
    fails 1 'loop: cannot open nothing: *' loop 'svm2bin <nothing'
    fails 1 'loop: cannot write /nowhere/x: *' loop 'synth linear >/nowhere/x'
    head -c 100 stream >cut
    fails_on cut 1 'loop: <stdin>: stream cut short after round 1' loop 'update -a slam -e 1 -m model'
    [ "$(bin2txt -f head model | cut -d ' ' -f 5)" = rounds=1 ] # what came whole is saved
    printf 'rankpipe/1 end rounds=0 bytes=0\n' >empty
    fails_on empty 1 'loop: update: <stdin>: no rounds' loop 'update -a slam -e 1'
}

@test "a model in the stream: a part that prints it does, one that cannot use it refuses it" {
    small_text | svm2bin >q.bin
    update -a kl -e 0.1 <q.bin >model
    cat model q.bin >mixed
    loop bin2txt <mixed | cmp - <(bin2txt mixed)
    fails_on mixed 1 'loop: *: update: the stream has a model, but update learns from rounds: *' loop 'update -a kl -e 0.1 -m other'
}

@test "a full disk and a reader that has gone are no success" {
    fails 1 'loop: cannot write <stdout>: *' bash -c 'loop "synth linear" >/dev/full'
    fails 1 'loop: cannot write <stdout>: *' loop 'synth linear >/dev/full'
    loop 'synth -n 1000000 linear' 2>err | head -c 1000 >/dev/null
    [ "${PIPESTATUS[0]}" = 141 ]
    [ ! -s err ]
}

@test "a signal: the round is finished, the model saved, and loop dies of it" {
    loop 'synth -n 1000000000 linear | score | explore | feedback-mask -k all | update -a slam -e 1 -m model' &
    tries=500
    until [ -e model.lock ]; do
        sleep 0.01
        [ $((tries -= 1)) -gt 0 ]
    done
    sleep 0.2
    kill -TERM $!
    got=0
    wait $! || got=$?
    [ "$got" = 143 ]
    rounds=$(bin2txt -f head model | sed 's/.* rounds=\([0-9]*\) .*/\1/')
    [ "$rounds" -gt 0 ]
    loop "synth -n $rounds linear | score | explore | feedback-mask -k all | update -a slam -e 1 -m straight"
    same straight model
}

# saved_two MODEL: waits until two rounds are saved, which is all that a loop can do with what it has.
saved_two() {
    local tries=500
    until bin2txt -f head "$1" 2>bin2txt.err | grep -q ' rounds=2 '; do
        sleep 0.01
        [ $((tries -= 1)) -gt 0 ] || { echo "no two rounds in 5 seconds" && return 1; }
    done
    sleep 0.1 # the folder is synced, and it waits
}

@test "a signal while loop waits for text, and a model that cannot be saved: an error, exit 1" {
    mkfifo text
    mkdir folder
    loop 'svm2bin | update -a kl -e 0.1 -m folder/model -c 1' <text 2>err &
    loop=$!
    exec 8>text
    small_text >&8
    saved_two folder/model
    mkdir folder/model.lock.new
    kill -TERM $loop
    got=0
    wait $loop || got=$?
    exec 8>&-
    cat err
    [ $got = 1 ]
    grep '^loop: .*cannot write folder/model.lock.new: ' err
}

@test "a signal while loop waits for somebody to open a FIFO: what came is saved" {
    small_text >one
    mkfifo two
    loop 'svm2bin one two | update -a kl -e 0.1 -m model -c 1' 2>err &
    loop=$!
    saved_two model
    rm model # the last save is to make it anew
    sleep 0.2
    kill -TERM $loop
    got=0
    wait $loop || got=$?
    cat err
    [ $got = 143 ]
    [ ! -s err ]
    bin2txt -f head model | grep ' rounds=2 '
}

@test "a backslash at the end of a line joins it with the next, as in sh" {
    small_text >text
    svm2bin text >stored
    loop $'replay -n 5 \\\n stored | expl\\\nore -g 1' >joined
    loop 'replay -n 5 stored | explore -g 1' >plain
    same joined plain
}
