# The corpus of the fuzzers through every target, without a fuzzer: what they found stays found.
load ../helper

@test "no target falls over its corpus, or finds that a promise is broken" {
    for source in "$ROOT"/tests/fuzz/*.c; do
        target=$(basename "$source" .c)
        [ "$target" = driver ] && continue
        [ "$(ls "$ROOT/tests/fuzz/corpus/$target" | wc -l)" -ge 4 ]
        for input in "$ROOT/tests/fuzz/corpus/$target"/*; do
            "$ROOT/build/tests/fuzz/$target" "$input" || {
                echo "$target: $input"
                return 1
            }
        done
    done
}

@test "a target that is cut short, or gets another's corpus, comes back all the same" {
    cat "$ROOT"/tests/fuzz/corpus/*/* | head -c 8000 >all
    for target in "$ROOT"/build/tests/fuzz/*; do
        [[ -f $target && $target != *.[do] ]] || continue # what make keeps beside them
        for n in 0 1 2 3 10 50 100 150 200 250 300 8000; do
            head -c $n all | "$target"
            head -c $((n + 1)) all | tail -c +2 | "$target"
        done
    done
}

@test "make fuzz says in words that there is no libFuzzer" {
    fails 1 "make fuzz: 'no-such-clang' builds no libFuzzer target: *" \
        sh "$ROOT/tests/fuzz/run" no-such-clang 1 svm
    fails 1 "make fuzz: 'false' builds no libFuzzer target: *" sh "$ROOT/tests/fuzz/run" false 1 svm
}

# Cases by seed and number, the same ones every time; make fuzz goes on from there.
@test "structured cases: whatever the input, programs and models do what their pages say" {
    cases=8000
    if grep -q __asan_init "$ROOT/bin/rankpipe"; then cases=1000; fi
    "$ROOT/build/tests/fuzz/structured/structured" -n $cases >summary || {
        cat summary
        return 1
    }
    grep "^$cases cases, " summary
    # Every program and every learner took part, and had its way at least once.
    [ "$(grep -c '^program ' summary)" = "$(wc -w <<<"$PROGRAMS")" ]
    [ "$(grep -c '^learner ' summary)" = "$(update -a nosuch 2>&1 </dev/null | sed -n 's/.*choose from //p' | wc -w)" ]
    if [ $cases -ge 8000 ]; then ! grep -E '^(program|learner) [a-z0-9-]* +0 (exit|models)' summary; fi
}

@test "structured cases: a case is its seed and its number, and prints how to repeat it" {
    "$ROOT/build/tests/fuzz/structured/structured" -s 7 -b 100 -n 20 -v -o one >all 2>steps
    "$ROOT/build/tests/fuzz/structured/structured" -s 7 -b 110 -n 1 -v -o two >one_case 2>step
    grep -x "$(grep '^case 110 ' step)" steps
    [ -n "$(ls two)" ]
    fails 2 "structured: 'x' is not a whole number*" \
        "$ROOT/build/tests/fuzz/structured/structured" -n x
}
