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
        [[ $target != *.[do] ]] || continue # what make keeps beside them
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
