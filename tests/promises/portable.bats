# The same bytes from every compiler, C library and machine that is to be had here.
load ../helper

# build NAME CC FLAGS...: the programs in a copy of the tree, without a warning.
build() {
    mkdir "$1"
    cp -R "$ROOT/Makefile" "$ROOT/cmd" "$ROOT/lib" "$1"
    make -s -C "$1" CC="$2" CFLAGS="-Werror ${*:3}" LDFLAGS="${LINK-}"
}

# needs TOOL...: or skips.
needs() {
    local tool
    for tool; do
        command -v "$tool" >/dev/null || skip "no $tool here"
    done
}

# compact: what the programs on PATH make of compact features, and what they learn from them.
compact() {
    local bits
    for bits in 8 16; do
        replay "$BATS_TEST_TMPDIR/stored.lists" | narrow $bits >numbers
        cat numbers && bin2txt -f svm numbers && features log <numbers
        loop 'replay -n 50 numbers | score | explore | feedback-mask -k 1 | update'
    done
}

# right: the checksum of the programs that are tested, made once for the tests of this file.
right() {
    [ -z "${ONLY-}" ] || rm -f "$BATS_FILE_TMPDIR/right"
    [ -s "$BATS_FILE_TMPDIR/right" ] || bash "$ROOT/tests/promises/bytes" >"$BATS_FILE_TMPDIR/right"
}

# makes_the_same NAME: as the programs that are tested, to the byte.
makes_the_same() {
    synth -n 9 -l 30 -d 20 linear >stored.lists
    compact >rounds
    PATH=$PWD/$1/bin:$PATH compact >"$1.rounds"
    same rounds "$1.rounds"
    right
    PATH=$PWD/$1/bin:$PATH bash "$ROOT/tests/promises/bytes" >"$1.sum"
    same "$BATS_FILE_TMPDIR/right" "$1.sum"
}

@test "a run of every learner is three megabytes" {
    right
    [ "$(cut -d ' ' -f 2 "$BATS_FILE_TMPDIR/right")" -gt 3000000 ]
}

@test "gcc, from no optimization to the most" {
    in_release
    needs gcc
    build none gcc -O0
    makes_the_same none
    build most gcc -Ofast -fno-fast-math
    makes_the_same most
}

@test "gcc, without the code for some processors" {
    needs gcc
    build plain gcc -O1 -Wno-maybe-uninitialized -DPORTABLE
    makes_the_same plain
    run grep -c . <(nm plain/bin/rankpipe | grep -i 'cpu_model')
    is "$output" 0
}

@test "clang" {
    in_release
    needs clang
    build clang clang -O2 -Wno-missing-field-initializers # fields left out are 0
    makes_the_same clang
}

@test "musl" {
    in_release
    needs musl-gcc
    LINK=-static build musl musl-gcc -O2
    makes_the_same musl
}

@test "32 bits" {
    in_release
    needs i686-linux-gnu-gcc
    LINK=-static build i686 i686-linux-gnu-gcc -O2 -msse2 -mfpmath=sse -Wno-psabi
    makes_the_same i686
}

# emulate NAME QEMU: programs that run those of NAME on the other machine.
emulate() {
    local program
    for program in $PROGRAMS; do
        rm "$1/bin/$program"
        printf '#!/bin/sh\nexec %s "%s/%s/bin/rankpipe" %s "$@"\n' "$2" "$PWD" "$1" "$program" \
            >"$1/bin/$program"
        chmod +x "$1/bin/$program"
    done
}

@test "arm64, by emulation" {
    in_release
    needs aarch64-linux-gnu-gcc qemu-aarch64
    LINK=-static build arm64 aarch64-linux-gnu-gcc -O2
    emulate arm64 qemu-aarch64
    makes_the_same arm64
}

@test "s390x, which is big-endian, by emulation" {
    in_release
    needs s390x-linux-gnu-gcc qemu-s390x
    LINK=-static build s390x s390x-linux-gnu-gcc -O2 -fexcess-precision=fast
    emulate s390x qemu-s390x
    export ONLY='kl.dense kl.sparse ridge.dense memory.dense memory.sparse solar2.sparse
        pdgd-adaptive.dense committee.dense ftpl-blocks.fixed'
    makes_the_same s390x
    rm "$BATS_FILE_TMPDIR/right"
    # files, which are not mapped there, whole models that go on, and the ring in one process
    small_text | svm2bin >stored
    run='replay -s 2 -n 30 stored | score | explore -g 0.5 | feedback-mask -k 1 | update -a memory'
    loop "$run -m model"
    PATH=$PWD/s390x/bin:$PATH loop "$run -m other"
    same model other
    PATH=$PWD/s390x/bin:$PATH score -r -m model <stored | explore -o >there
    score -m model <stored | explore -o >here
    same here there
    replay -b 31 -n 40 stored | update -a memory -m model
    replay -b 31 -n 40 stored | PATH=$PWD/s390x/bin:$PATH update -a memory -m other
    same model other
}
