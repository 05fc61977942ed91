# The order of the house: lib/ leans one way, and each program has its page and its tests.
load helper

# Every module of lib/, each using only those before it. learners is the table above its members.
MODULES="fault space load vectors lanes factor real rng normal order dcg matrix sphere duel norm
    ball record round model policy blocks clicks heard slam surrogate measure linear regret
    offline aside stream tally deck lines decimal counts qids answers rows svm split products
    fourier game settings regression learner pairs learn_surrogate learn_perceptron learn_pairs
    learn_prank learn_ftpl learn_ridge learn_robust learn_clicks learners scoring weights link
    queue store reload options words progress filter pump"

place() {
    local module n=0
    for module in $MODULES; do
        n=$((n + 1))
        [ "$module" = "$1" ] && echo $n && return
    done
    echo "no place for lib/$1 in the order of the house" >&2
    return 1
}

@test "no module of lib/ uses one that comes after it" {
    for file in "$ROOT"/lib/*.[ch]; do
        module=$(basename "${file%.*}")
        mine=$(place "$module")
        for used in $(sed -n 's/^#include "\(.*\)\.h"$/\1/p' "$file"); do
            theirs=$(place "$used")
            [ "$theirs" -le "$mine" ] || {
                echo "$file includes $used.h, which comes after it"
                return 1
            }
        done
    done
}

@test "every module of the order is there, with a header that names it" {
    for module in $MODULES; do
        [ "$module" = learners ] && continue # its table is declared in learner.h
        head -n 1 "$ROOT/lib/$module.h" | grep "^/\* $module: "
    done
}

@test "nothing in lib/ prints, exits or keeps static mutable state" {
    run grep -nE '\b(printf|puts|putchar|fprintf|perror|exit|_exit|abort|assert)\(' "$ROOT"/lib/*.c
    echo "$output"
    [ "$status" = 1 ]
    not_sanitized "they keep their own state in every object"
    # Writable data, initialised or not, of any object: none (constant tables are .data.rel.ro).
    run sh -c "size -A '$ROOT'/build/lib/*.o | awk '\$1 ~ /^\.(data|bss|tdata|tbss)\$/ && \$2 > 0'"
    echo "$output"
    [ -z "$output" ]
}

@test "lib/ and cmd/ need libc alone, and of libm only what is exact" {
    run sh -c "nm -u '$ROOT'/build/lib/*.o '$ROOT'/build/cmd/*.o | sed -n 's/^ *U //p' | grep -xE '(exp|log|log2|exp2|pow|sin|cos|tan|cbrt|hypot|fma|expm1|log1p|log10)f?l?'"
    echo "$output"
    [ -z "$output" ]
}

@test "each program has its source, its page and its tests" {
    for program in $PROGRAMS; do
        [ -f "$ROOT/cmd/$program.c" ]
        [ -f "$ROOT/man/$program.1" ]
        [ -f "$ROOT/tests/$program.bats" ]
    done
    for source in "$ROOT"/cmd/*.c; do
        name=$(basename "$source" .c)
        [[ $name == @(main|programs|say) ]] || [[ " $PROGRAMS " == *" $name "* ]]
    done
}

@test "a program is a page or two, and a function needs no scrolling" {
    for source in "$ROOT"/cmd/*.c; do
        [ "$(wc -l <"$source")" -le 340 ]
    done
    awk '
        FNR == 1 { start = 0 }
        /^{/ { start = FNR }
        /^}/ && start && FNR - start > 60 { print FILENAME ":" start ": " FNR - start " lines"; bad = 1 }
        /^}/ { start = 0 }
        length($0) > 100 { print FILENAME ":" FNR ": " length($0) " characters"; bad = 1 }
        END { exit bad }' "$ROOT"/lib/*.[ch] "$ROOT"/cmd/*.[ch] "$ROOT"/tests/*.c \
        "$ROOT"/tests/fuzz/*.[ch]
}
