#!/usr/bin/env bats
# What all programs have in common: their names, their usage, and how a wrong command line ends.

load ../helper

# misused WORDS COMMAND...: exit 2, and on standard error the words behind the program's name, then its
# usage; nothing on standard output.
misused() {
    local program=${2##*/} got=0
    [ "$program" != rankpipe ] || program=$3
    "${@:2}" >out 2>err </dev/null || got=$?
    is "$got" 2
    is "$(cat err)" "$program: $1
$($program -h)"
    [ ! -s out ]
}

@test "-h and --help print usage on standard output, exit 0" {
    for program in $PROGRAMS; do
        for option in -h --help; do
            $program $option >out 2>err
            is "$(cat err)" ''
            is "$(wc -l <out)" 1
            [[ $(cat out) == "usage: $program "* ]]
        done
    done
}

@test "-h counts behind other options, and before operands are looked at" {
    is "$(score -m nowhere -h)" "$(score -h)"
    is "$(bin2txt -h nowhere)" "$(bin2txt -h)"
    is "$(svm2bin -0h)" "$(svm2bin -h)"
}

@test "-V and --version print name and version, exit 0" {
    version=$(rankpipe -V)
    [[ $version =~ ^rankpipe\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    is "$(rankpipe --version)" "$version"
    for program in $PROGRAMS; do
        is "$($program -V 2>&1)" "$program (rankpipe) ${version#* }"
        is "$($program --version 2>&1)" "$program (rankpipe) ${version#* }"
    done
}

@test "a wrong option prints usage on standard error, exit 2" {
    for program in $PROGRAMS; do
        for option in -X --wrong -:; do
            misused "no option '$option'" "$program" $option
        done
    done
    misused "no option '-0X'" svm2bin -0X
}

@test "an option without its value prints usage on standard error, exit 2" {
    for command in 'svm2bin -d' 'svm2bin -q' 'replay -s' 'score -m' 'explore -g' 'metric -t' 'feedback-mask -k' \
        'update -a' 'bin2txt -f'; do
        # shellcheck disable=SC2086
        misused "${command#* } wants a value behind it" $command
    done
}

@test "a value stands in its option's argument or in the next, and options may be joined" {
    printf '1 qid:a 0:1 1:2 # d1\n' >text
    svm2bin -0 -c -d 3 text >apart
    svm2bin -0cd3 text >joined
    same apart joined
    svm2bin -0cd 3 -- text >ended
    same apart ended
}

@test "operands where there are none to be prints usage, exit 2" {
    for command in 'score -m w.bin' 'explore' 'feedback-mask' 'update -a squared -e 0.1'; do
        for operand in more -; do
            # shellcheck disable=SC2086
            misused "takes no operand, but was given '$operand'" $command $operand
        done
    done
}

@test "a command line that lacks what the program cannot do without prints usage, exit 2" {
    fails 2 'score: no weights: *
usage: score *' score
    fails 2 'update: no learner: *
usage: update *' update
    fails 2 'metric: no measure named: *
usage: metric *' metric
    fails 2 'replay: no file named *
usage: replay *' replay
}

@test "a number that is none is told with the option and what it wants" {
    fails 2 "svm2bin: -d wants a whole number from 0 to 2147483648, not '1e3'*" svm2bin -d 1e3
    fails 2 "replay: -n wants a whole number from 1 to 9007199254740991, not '-1'*" replay -n -1 two
    fails 2 "update: -e wants a number above 0, not '0'*" update -a squared -e 0
    fails 2 "update: -e wants a number above 0, not 'inf'*" update -a squared -e inf
    fails 2 "explore: -g wants a number from 0 to 1, not '0x1p-1'*" explore -g 0x1p-1
}

@test "rankpipe alone lists the programs, a line each" {
    rankpipe >out 2>err
    is "$(cat err)" ''
    is "$(sed -n '/^scripts:/q; s/^  \([^ ]*\)  *[^ ].*/\1/p' out | sort)" "$(tr ' ' '\n' <<<"$PROGRAMS" | sort)"
    is "$(sed -n '/^scripts:/,/^$/s/^  \([^ ]*\)  *[^ ].*/\1/p' out | paste -sd ' ')" \
        'sweep plot live add-tables'
    is "$(head -n 1 out)" 'usage: rankpipe program [argument ...]'
    is "$(rankpipe -h)" "$(cat out)"
    is "$(rankpipe --help)" "$(cat out)"
}

@test "rankpipe PROGRAM is the program" {
    for program in $PROGRAMS; do
        is "$(rankpipe "$program" -h)" "$($program -h)"
        misused "no option '-X'" rankpipe "$program" -X
    done
    small_text | svm2bin >direct
    small_text | rankpipe svm2bin >through
    same direct through
}

@test "an unknown program is told on standard error with the list, exit 2" {
    for name in learn score2 '' -X; do
        run -2 --separate-stderr rankpipe "$name"
        is "$output" ''
        # shellcheck disable=SC2154
        is "$stderr" "rankpipe: no program '$name'
$(rankpipe)"
    done
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
    listed=$(rankpipe | sed -n '/^scripts:/q; s/^  \([^ ]*\)  *[^ ].*/\1/p' | sort)
    is "$(tr ' ' '\n' <<<"$PROGRAMS" | sort)" "$listed"
    for program in $listed; do
        is "$(readlink "$ROOT/bin/$program")" rankpipe
        [ -s "$ROOT/man/$program.1" ]
        [ -s "$ROOT/tests/programs/$program.bats" ]
    done
}
