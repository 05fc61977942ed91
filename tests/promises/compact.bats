#!/usr/bin/env bats
# Compact features are read as what they stand for, by every program, and stay compact where a
# program passes them on.

load ../helper
load ../runs

# Of rounds that are dense as floats, and of rounds that are sparse then: NAME.8 and NAME.16 are
# compact, and NAME.8.plain, NAME.16.plain are rounds of the same features, as floats.
joined() { # 40 queries as 14, of up to 27 documents
    awk '{ q = substr($2, 6); $2 = "qid:" int(q / 3); print }'
}

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    PATH=$ROOT/bin:$PATH
    made 20 1 | joined >dense
    made 20 3 | joined >sparse
    local bits name
    for name in dense sparse; do
        for bits in 8 16; do
            svm2bin $name | narrow $bits >$name.$bits
            bin2txt -f svm $name.$bits | svm2bin >$name.$bits.plain
        done
    done
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    ln -s "$BATS_FILE_TMPDIR"/* .
}

FORMS="dense.8 dense.16 sparse.8 sparse.16"

@test "nearly all of these rounds are compact" {
    local form
    for form in $FORMS; do
        [ "$(bin2txt -f head $form | grep -c 'offset:f4\[20\],step:f4\[20\],number:u')" -ge 10 ]
        run grep -ac number: $form.plain
        is "$output" 0
        [ "$(wc -c <$form)" -lt "$(wc -c <$form.plain)" ]
    done
    [ "$(bin2txt -f head dense.8.plain | grep -c x:f4)" = 14 ]
    [ "$(bin2txt -f head sparse.16.plain | grep -c ptr:u4)" -ge 10 ]
    # the features have changed, by at most half a step of a range of 4.98
    svm2bin dense | bin2txt -f svm | tr ' ' '\n' >before
    bin2txt -f svm dense.8 | tr ' ' '\n' | paste - before |
        awk -F '[:\t]' 'NF == 4 && $1 != "qid" { d = $2 - $4; if (d < 0) d = -d
            if (d > most) most = d; n += d > 0 }
            END { exit !(n > 1000 && most < 4.98 / 510 * 1.001 && most > 0.009) }'
}

@test "every program that reads features makes the same bytes of them as of floats" {
    local form command
    update -a listnet -m model <dense.8.plain
    for form in $FORMS; do
        for command in "bin2txt" "bin2txt -f svm" "bin2txt -f summary" "features log" \
            "features rank" "features scale" "update -a ridge -x scale" \
            "update -a listnet -d 20" "loop score -m model -d 20 | explore | metric ndcg@10 map" \
            "loop features rank | update -a ridge" "loop update -a ridge -x scale"; do
            if [ "${command%% *}" = loop ]; then
                loop "${command#loop }" <$form >compact
                loop "${command#loop }" <$form.plain >plain
            else
                $command <$form >compact
                $command <$form.plain >plain
            fi
            same compact plain
        done
        score -m model -d 20 <$form | bin2txt -f rank >compact 2>&1 || true
        score -m model -d 20 <$form.plain | bin2txt -f rank >plain 2>&1 || true
        same compact plain
    done
}

@test "every learner learns the same from them, in a ring" {
    local run name form part=0
    for run in $LEARNERS; do
        # shellcheck disable=SC2086
        set -- $FORMS
        shift $((part++ % 4))
        form=$1
        settings "$run"
        for name in $form $form.plain; do
            rm -f model.$name
            loop "replay -n 80 -s 3 $name | score | explore $shown | metric -t table.$name ndcg@10 |
                feedback-mask -k $k | update $options -m model.$name"
        done
        same table.$form table.$form.plain
        same model.$form model.$form.plain
    done
}

# keeps FILE: are the features in it compact, and those of dense.8?
keeps() {
    [ "$(bin2txt -f head $1 | grep -c 'offset:f4\[20\],step:f4\[20\],number:u1\[[0-9]*\] bytes=[0-9]*$')" \
        = "$(bin2txt -f head dense.8 | grep -c number:)" ]
    bin2txt -f svm $1 | sed 's/^[^ ]* //' >there
    bin2txt -f svm dense.8 | sed 's/^[^ ]* //' >here
    same here there
}

@test "what passes rounds on keeps them compact, by the same bytes" {
    replay dense.8 | cmp - <(uncrc <dense.8)
    update -a listnet -m model <dense.8
    score -m model <dense.8 >scored
    keeps scored
    explore -g 0.5 <scored >shown
    keeps shown
    metric -t table ndcg@10 <shown | cmp - shown
    feedback-mask -k 2 <shown >masked
    keeps masked
    spool log <shown | cmp - shown
    cat log/* | uncrc | cmp - shown
    salvage <shown 2>err | cmp - shown
    loop 'replay dense.8 | score -m model | explore -g 0.5 | feedback-mask -k 2' >looped
    same masked looped
}

@test "they go through pipes as through files, large ones too" {
    synth -n 5 -l 900 -d 136 linear | narrow 16 >large
    update -a listnet -m model <large
    score -m model <large >file
    cat large | score -m model | cat >pipe
    same file pipe
    explore -g 0.5 <file >file2
    cat file | explore -g 0.5 | cat >pipe
    same file2 pipe
    bin2txt -f svm file2 | sed 's/^[^ ]* //' | cmp - <(bin2txt -f svm large | sed 's/^[^ ]* //')
}

@test "numbers give offset + step * number" {
    mkstream round t=1 docs=2 dim=3 offset:f4 -1 0.25 7 step:f4 0.5 0.125 0 \
        number:u1 0 8 9 255 255 0 >eight
    is "$(bin2txt eight)" '? 1:-1 2:1.25 3:7
? 1:126.5 2:32.125 3:7'
    mkstream round t=1 docs=3 dim=1 step:f4 0.25 number:u2 0 1 65535 offset:f4 -2 >sixteen
    is "$(bin2txt sixteen)" '? 1:-2
? 1:-1.75
? 1:16381.75'
    # as floats: 1/3 is 0.333333343, twice this is rounded once more after 16777216 is added
    mkstream round t=1 docs=1 dim=1 offset:f4 16777216 step:f4 0.333333343 number:u1 5 >rounded
    is "$(bin2txt rounded)" '? 1:16777218'
}

@test "a fixed list may have empty columns of them" {
    mkstream round t=1 docs=2 dim=0 label:f4 1 0 offset:f4 step:f4 number:u1 >none
    update -X -a ftpl -G lin <none >model
    bin2txt -f head model | grep -q 'dim=2'
}
