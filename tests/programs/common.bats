#!/usr/bin/env bats
# What all programs have in common: their names, their usage, and how a wrong command line ends.

load ../helper

# misused WORDS COMMAND...: exit 2, and on standard error the words after the program's name, its
# usage and a hint; nothing on standard output.
misused() {
    local program=${2##*/} got=0
    [ "$program" != rankpipe ] || program=$3
    "${@:2}" >out 2>err </dev/null || got=$?
    is "$got" 2
    is "$(cat err)" "$program: $1
$($program -h | sed '/^$/,$d')
$program -h explains the options"
    [ ! -s out ]
}

# A usage line as the rows of its options and operand: letter and value's name.
usage_rows() {
    usage "$1" | sed "s/^$1//; s/ \.\.\.//" | sed 's/[][|]/ & /g' | awk '{
        for (i = 1; i <= NF; i++) {
            if ($i ~ /^-./ && $(i + 1) ~ /^[a-z]/) {
                print substr($i, 2) "\t" $(i + 1)
                i++
            } else if ($i ~ /^-./) {
                for (j = 2; j <= length($i); j++)
                    print substr($i, j, 1) "\t-"
            } else if ($i ~ /^[a-z]/) {
                print "-\t" $i
            }
        }
    }'
}

@test "-h and --help print usage, options and where the page is on standard output, exit 0" {
    for program in $PROGRAMS; do
        for option in -h --help; do
            $program $option >out 2>err
            is "$(cat err)" ''
            [[ $(head -n 1 out) == "usage: $program "* ]]
            is "$(tail -n 1 out)" "rankpipe help $program opens the page"
            is "$(grep -c '^$' out)" 2
            is "$(sed '/^$/,$d' out | awk 'length > 80')" ''
            is "$(awk 'length > 100' out)" ''
        done
    done
}

@test "-h explains every option and operand of the usage line, by the same names, and no other" {
    for program in $PROGRAMS; do
        echo "$program"
        is "$(rows "$program" | cut -f 1,2 | LC_ALL=C sort)" "$(usage_rows "$program" | LC_ALL=C sort)"
        is "$(rows "$program" | awk -F '\t' 'length($3) < 4')" ''
    done
}

@test "every option that -h explains is one that the program takes" {
    for program in $PROGRAMS; do
        rows "$program" | grep -v '^-' | cut -f 1,2 | while read -r letter name; do
            if [ "$name" = - ]; then
                "$program" "-$letter" -h >/dev/null
            else
                misused "-$letter needs a value: -$letter $name" "$program" "-$letter"
            fi
        done
    done
}

# default COMMAND: the same bytes with and without the words in braces, "explore {-s 1} -g 0.5",
# which -h gives as a default.
default() {
    local program=${1%% *} option value
    option=$(sed 's/.*{-\(.\) .*/\1/' <<<"$1") value=$(sed 's/.*{-. \(.*\)}.*/\1/' <<<"$1")
    rows "$program" | grep "^$option" | grep -E "default[^)]*[ (]$value([ ,;)]|$)" ||
        { echo "-h gives -$option no default $value: $1" && return 1; }
    eval "$(tr -d '{}' <<<"$1")" <"${2:-text}" >with
    eval "$(sed 's/{.*}//' <<<"$1")" <"${2:-text}" >without
    cmp with without
}

@test "the defaults that -h gives are those of the programs" {
    small_text >text
    svm2bin text >rounds
    update -a squared -e 0.1 -m model <rounds
    replay -n 30 rounds | score -m model >scored
    explore -g 0.5 <scored >shown
    explore -p plackett-luce <scored | feedback-mask -c perfect >clicks
    synth -n 20 noisy-binary >fixed
    update -a ftpl -m items <fixed
    score -m items <fixed >listed
    for command in 'replay {-b 1} rounds' 'replay {-i 1/1} rounds' 'synth {-L 4} linear' \
        'synth {-M 0.1} separable' 'synth {-S 0.25} separable' 'synth {-S 0.5} linear' \
        'synth {-S 0.3} noisy-binary' 'synth {-b 1} linear' 'synth {-d 20} separable' \
        'synth {-d 10} linear' 'synth {-l 20} separable' 'synth {-l 10} linear' \
        'synth {-l 10} noisy-binary' 'synth {-n 1000} linear' 'synth {-s 1} linear'; do
        default "$command"
    done
    for command in 'explore {-H 1} -p plackett-luce' 'explore {-g 0}' 'explore {-k 1} -p top -g 0.5' \
        'explore {-p uniform} -g 0.5' 'explore {-s 1} -g 0.5'; do
        default "$command" scored
    done
    for command in 'metric {-D log} ndcg' 'metric {-E 0.01} loss:smoothdcg' 'metric {-G exp} ndcg' \
        'metric {-L 4} err' 'metric {-z 0} ndcg' 'feedback-mask {-L 4} -c perfect' \
        'feedback-mask {-k 1}' 'feedback-mask {-k 10} -c perfect' 'feedback-mask {-s 1} -c perfect' \
        'bin2txt {-f svm}'; do
        default "$command" shown
    done
    for command in 'explore {-L 1} -p leader -T 20' 'explore {-k 1} -p blocks -T 20'; do
        default "$command" listed
    done
    for command in '{-a memory}' '{-x scale} -a memory' '{-x scale} -a ridge' '{-x none} -a solar1'; do
        default "update $command" rounds
    done
    for words in 'solar1 tradeoff=1e-05' 'solar2 tradeoff=10000' 'ridge tradeoff=1' 'thompson tradeoff=1' \
        'linucb tradeoff=1' 'smoothdcg epsilon=0.01 -e 1e-3' \
        'prank grades=4' 'committee size=20' 'minimax eta=1' 'solar1 seed=1' \
        'thompson seed=1'; do
        read -r learner setting more <<<"$words"
        update -h "$learner" | tr -s ' \n' ' ' | grep -E " ${setting%=*}=value [^(]*\(default: ([^)]* )?${setting#*=}\)"
        # shellcheck disable=SC2086
        is "$(update -a "$learner,$setting" $more <rounds | bin2txt)" "$(update -a "$learner" $more <rounds | bin2txt)"
    done
    update -h ftpl | grep -F '(default: exp)'
    is "$(update -a ftpl,gain=exp <fixed | bin2txt)" "$(update -a ftpl <fixed | bin2txt)"
    default 'svm2bin {-b 1}'
}

@test "-h counts after other options, and before operands are looked at" {
    is "$(score -m nowhere -h)" "$(score -h)"
    is "$(bin2txt -h nowhere)" "$(bin2txt -h)"
    is "$(svm2bin -0h)" "$(svm2bin -h)"
}

@test "-V and --version print name and version, exit 0" {
    version=$(rankpipe -V)
    [[ $version =~ ^rankpipe\ [0-9]+\.[0-9]+\.[0-9]+(\+git[0-9]{8}\.[0-9]{4}\.[0-9a-f]+(\.changed)?)?$ ]]
    is "$(rankpipe --version)" "$version"
    for program in $PROGRAMS; do
        is "$($program -V 2>&1)" "$program (rankpipe) ${version#* }"
        is "$($program --version 2>&1)" "$program (rankpipe) ${version#* }"
    done
}

@test "a wrong option prints usage on standard error, exit 2" {
    for program in $PROGRAMS; do
        misused "no option '-Y'" "$program" -Y
        misused "no option '-:'" "$program" -:
        misused "no option '--wrongest': options have one letter" "$program" --wrongest
    done
    misused "no option '-0X'" svm2bin -0X
}

@test "an option without its value prints usage on standard error, exit 2" {
    misused "-d needs a value: -d dim" svm2bin -d
    misused "-g needs a value: -g gamma" explore -s 1 -g
    misused "-a needs a value: -a learner" update -Pa
}

@test "a value stands in its option's argument or in the next, and options may be joined" {
    printf '1 qid:a 0:1 1:2 # d1\n' >text
    svm2bin -0 -C -d 3 text >apart
    svm2bin -0Cd3 text >joined
    same apart joined
    svm2bin -0Cd 3 -- text >ended
    same apart ended
}

@test "operands that a program does not take print usage, exit 2" {
    for command in 'score -m w.bin' 'explore' 'feedback-mask' 'update -a squared -e 0.1'; do
        for operand in more -; do
            # shellcheck disable=SC2086
            misused "takes no operand, but was given '$operand'" $command $operand
        done
    done
}

@test "a command line that lacks what the program cannot do without prints usage, exit 2" {
    fails 2 'score: no weights: *
usage: score *
score -h explains the options' score
    fails 2 'metric: no measure named: *
usage: metric *' metric
    fails 2 'replay: no file named *
usage: replay *' replay
}

@test "rankpipe alone lists the programs, a line each" {
    rankpipe >out 2>err
    is "$(cat err)" ''
    is "$(sed -n '/^scripts:/q; s/^  \([^ ][^ ]*\)  *[^ ].*/\1/p' out | sort)" "$(tr ' ' '\n' <<<"$PROGRAMS" | sort)"
    is "$(sed -n '/^scripts:/,/^$/s/^  \([^ ][^ ]*\)  *[^ ].*/\1/p' out | paste -sd ' ')" \
        'train sweep plot live export import log service api up site doctor demo add-tables'
    is "$(head -n 1 out)" 'usage: rankpipe program [argument ...]'
    is "$(rankpipe -h)" "$(cat out)"
    is "$(rankpipe --help)" "$(cat out)"
}

@test "rankpipe PROGRAM is the program" {
    for program in $PROGRAMS; do
        is "$(rankpipe "$program" -h)" "$($program -h)"
        misused "no option '-Y'" rankpipe "$program" -Y
    done
    small_text | svm2bin >direct
    small_text | rankpipe svm2bin >through
    same direct through
}

# A folder of programs with the executable, and a man that prints how it was called.
page_reader() {
    mkdir -p stage/bin
    cp "$ROOT/bin/rankpipe" "stage/bin/${1:-}rankpipe"
    cat >stage/bin/man <<'MAN'
#!/bin/sh
if [ "$1" = -w ]; then grep -qx "$2 $3" installed; exit; fi
echo "man $*"
MAN
    chmod +x stage/bin/man
    : >installed
    pages=$(cd stage/bin && pwd)
}

@test "rankpipe help opens the page of the source, of an installation, or the one that man knows" {
    page_reader
    PATH=$PWD/stage/bin:$PATH
    fails 1 'rankpipe: the page score(1) is not installed' rankpipe help score
    fails 1 'rankpipe: the page rankpipe(7) is not installed' rankpipe help
    echo 1 score >installed
    is "$(rankpipe help score)" 'man 1 score'
    echo 1 rankpipe-score >>installed
    is "$(rankpipe help score)" 'man 1 rankpipe-score'
    mkdir -p stage/share/man/man1 stage/share/man/man7
    touch stage/share/man/man1/score.1 stage/share/man/man7/rankpipe.7
    is "$(rankpipe help score)" 'man 1 rankpipe-score'
    touch stage/share/man/man1/rankpipe-score.1 stage/share/man/man7/rankpipe-learners.7
    is "$(rankpipe help score)" "man $pages/../share/man/man1/rankpipe-score.1"
    is "$(rankpipe help)" "man $pages/../share/man/man7/rankpipe.7"
    is "$(rankpipe help learners)" "man $pages/../share/man/man7/rankpipe-learners.7"
    mkdir stage/man
    touch stage/man/score.1 stage/man/rankpipe.1
    is "$(rankpipe help score)" "man $pages/../share/man/man1/rankpipe-score.1"
    rm stage/share/man/man1/rankpipe-score.1 installed
    is "$(rankpipe help score)" "man $pages/../man/score.1"
    is "$(rankpipe help rankpipe)" "man $pages/../man/rankpipe.1"
    is "$(cd / && stage=x "$pages/rankpipe" help score)" "man $pages/../man/score.1"
    ln -s "$pages/rankpipe" elsewhere
    ln -s elsewhere rankpipe
    is "$(./rankpipe help score)" "man $pages/../man/score.1"
}

@test "rankpipe help knows the pages of an installation with a prefix" {
    page_reader rp-
    PATH=$PWD/stage/bin:$PATH
    mkdir -p stage/share/man/man1 stage/share/man/man7
    touch stage/share/man/man1/rp-score.1 stage/share/man/man7/rankpipe.7
    is "$(rp-rankpipe help score)" "man $pages/../share/man/man1/rp-score.1"
    is "$(rp-rankpipe help)" "man $pages/../share/man/man7/rankpipe.7"
}

@test "rankpipe help of a page that does not exist lists the programs, exit 2" {
    for name in nosuch ../nosuch; do
        fails 2 "rankpipe: no page '$name'
usage: rankpipe program *" rankpipe help "$name"
    done
    fails 2 'rankpipe: help opens one page at a time
usage: rankpipe program *' rankpipe help score explore
}

@test "every program's page opens from the source tree" {
    page_reader
    for program in rankpipe $PROGRAMS; do
        is "$(PATH=$pages:$PATH "$ROOT/bin/rankpipe" help "$program")" "man $ROOT/bin/../man/$program.1"
    done
    is "$(PATH=$pages:$PATH "$ROOT/bin/rankpipe" help)" "man $ROOT/bin/../man/rankpipe.7"
}

@test "an unknown program prints an error and the list on standard error, exit 2" {
    for name in learn nothing '' -X; do
        run -2 --separate-stderr rankpipe "$name"
        is "$output" ''
        # shellcheck disable=SC2154
        is "$stderr" "rankpipe: no program '$name'
$(rankpipe)"
    done
}

@test "a word that is nearly one of those that fit is answered by that one" {
    means() { # STATUS MEANT COMMAND...
        fails "$1" "*: did you mean $2?*" "${@:3}"
    }
    means 2 train rankpipe trian
    means 2 add-tables rankpipe add-table
    means 2 help rankpipe hlep q
    means 2 score rankpipe help scoer
    means 2 learners rankpipe help learnrs
    means 2 score loop 'replay x | scoer'
    means 2 explore serve s 'exlpore -g 1'
    means 2 summary bin2txt -f summry
    means 2 ndcg@10 metric ndgc@10
    means 2 map metric mpa
    means 2 loss:kl metric los:kl
    means 2 ips:dcg@5 metric isp:dcg@5
    means 2 scale features scael
    means 2 scale features rank,scael
    means 2 scale update -x scael
    means 2 '-m model' score --modle=w.bin
    means 2 '-m model' score --model w.bin
    means 2 '-d dim' svm2bin --dims 3
    means 2 navigational feedback-mask -c navigationl
    # a name that is right, with a number that is not, is not another name
    run -2 metric ndcg@x
    [[ $output != *'did you mean'* ]]
}

@test "the executable is the program whose name it is called by, whatever stands before that" {
    small_text >text
    svm2bin text >expected
    for program in $PROGRAMS; do
        for prefix in rp- ltr_ my; do
            ln -s "$ROOT/bin/rankpipe" "$prefix$program"
            is "$("./$prefix$program" -h)" "$($program -h)"
        done
    done
    ./rp-svm2bin text >out
    same expected out
    ln -s "$ROOT/bin/rankpipe" rp-rankpipe
    is "$(./rp-rankpipe)" "$(rankpipe)"
    ./rp-rankpipe svm2bin text >out
    same expected out
}

@test "each program has its link, its page and its tests" {
    listed=$(rankpipe | sed -n '/^scripts:/q; s/^  \([^ ][^ ]*\)  *[^ ].*/\1/p' | sort)
    is "$(tr ' ' '\n' <<<"$PROGRAMS" | sort)" "$listed"
    for program in $listed; do
        is "$(readlink "$ROOT/bin/$program")" rankpipe
        [ -s "$ROOT/man/$program.1" ]
        [ -s "$ROOT/tests/programs/$program.bats" ]
    done
}

@test "a message that is too long loses its middle: the beginning and the reason stay" {
    # 1023 bytes: the first 511 of the message, " ... " and its last 507.
    local path what
    path=$(printf 'a/%.0s' {1..1000})x
    fails 1 '*' score -m "$path"
    what="$path: no such file: update -m makes one, and rankpipe service first that of a service"
    [ ${#what} -gt 1023 ]
    is "$(cat err)" "score: ${what:0:511} ... ${what: -507}"
    path=$(printf 'a/%.0s' {1..400})x # and a shorter one is whole
    fails 1 "score: $path: no such file: *" score -m "$path"
}
