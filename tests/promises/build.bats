# The Makefile: what is rebuilt when a file or a flag changes, and what it lists and chooses.
load ../helper

# A copy of the sources and of what is built of them, with times kept, in ./tree.
copy_tree() {
    mkdir tree
    (cd "$ROOT" && tar -cf - Makefile bin build/{flags,objects,librankpipe.a} build/lib build/cmd build/tests \
        cmd examples lib package tests) | tar -C tree -xf -
    make -s -C tree all tests
}

@test "the sources of objects that the Makefile names are there" {
    cd "$ROOT" || return 1
    names=$(grep -v '^#' Makefile | grep -oE '[a-z_]+/[a-z_0-9]+\.[co]\b' | sort -u)
    [ "$(wc -w <<<"$names")" -gt 10 ]
    for name in $names; do
        name=${name#strict/}
        ls {,lib/,lib/*/,tests/,examples/}"${name%.?}.c" 2>/dev/null | grep . || { echo "no source of $name" && return 1; }
    done
}

# would_build TARGET...: the objects that make would compile in ./tree, by their names.
would_build() {
    make -n -C tree "$@" | sed -n 's,.* -c -o build/\([^ ]*\)\.o .*,\1,p' | LC_ALL=C sort
}

# would_link TARGET...: the test programs that make would link in ./tree.
would_link() {
    make -n -C tree "$@" | sed -n 's/.* -Wl,-t -o \([^ ]*\) .*/\1/p' | LC_ALL=C sort
}

# plain_make ARGUMENT...: without the flags that these tests were built with.
plain_make() {
    env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES -u CC -u CFLAGS -u CPPFLAGS -u LDFLAGS make "$@"
}

@test "what is built is not built again" {
    copy_tree
    make -q -C tree all tests
}

@test "touching a header rebuilds the objects that include it, and no other" {
    copy_tree
    touch tree/lib/explore/click_models.h
    would_build all tests >have
    (cd "$ROOT" && grep -l '"explore/click_models.h"\|"click_models.h"' {lib,tests}/*/*.c cmd/*.c) |
        sed 's/\.c$//' | LC_ALL=C sort >want
    cat have
    [ "$(wc -l <want)" -ge 3 ]
    same have want
    [ "$(would_build all | wc -l)" -le 3 ]
    make -s -C tree all tests
    [ -z "$(would_build all tests)" ]
    touch tree/tests/exact/equations.h
    [ -z "$(would_build all)" ]
    would_build tests >have
    (cd "$ROOT" && grep -l '"equations.h"' tests/exact/*.c) | sed 's/\.c$//' >want
    same have want
    touch tree/tests/fuzz/target.h tree/lib/math/rng.h
    would_build tests >have
    grep -x tests/fuzz/driver have
    make -n -C tree all | grep -F ' > examples/data/small.svm.new'
}

@test "a changed object links again the test programs that hold it, and no other" {
    copy_tree
    would_link tests >have
    [ ! -s have ]
    touch tree/lib/base/siphash.c
    would_link tests >have
    for program in $(find "$ROOT/build/tests" -type f -perm -u+x ! -name '*.so'); do
        if nm "$program" | grep -q ' siphash_add$'; then echo "${program#"$ROOT/"}"; fi
    done | grep -v /tests/bench/ | LC_ALL=C sort >want
    grep -x build/tests/exact/siphash want
    same have want
    make -s -C tree all tests
    touch tree/tests/exact/ridge.c
    is "$(would_link tests)" build/tests/exact/ridge
    # One more object, of which the archive must hear, and one less; two programs of all are then linked.
    for change in touch rm; do
        $change tree/lib/base/more.c
        [ "$(would_link tests | wc -l)" -gt 50 ]
        make -s -C tree all build/tests/exact/ridge
        make -q -C tree all build/tests/exact/ridge
    done
}

@test "changed flags rebuild everything, and the same flags nothing" {
    copy_tree
    all=$(find "$ROOT/lib" "$ROOT/cmd" -name '*.c' | wc -l)
    for flag in CC='cc -pipe' CFLAGS='-O0 -DX="a b"' CPPFLAGS=-DX LDFLAGS=-s; do
        [ "$(would_build "$flag" all | wc -l)" = "$all" ]
    done
    # A tree of two files, to be quick: from the environment, and from the command line.
    mkdir -p two/lib/one two/cmd
    cp "$ROOT/Makefile" two
    echo 'int one(void); int one(void) { return 0; }' >two/lib/one/one.c
    echo 'int one(void); int main(void) { return one(); }' >two/cmd/main.c
    unset MAKEFLAGS MFLAGS MAKEOVERRIDES CC CFLAGS CPPFLAGS LDFLAGS
    make -C two | grep -c -- '-O3 .*-c -o'
    make -q -C two
    for said in CC='cc -pipe' CFLAGS=-O1 CPPFLAGS=-DA LDFLAGS=-s; do
        env "$said" make -C two >out
        grep -cF -- "${said#*=}" out
        is "$(grep -c -- ' -c -o ' out)" 2
        env "$said" make -q -C two
        make -q -C two "$said"
    done
}

@test "make debug: programs with the sanitizers, and the others as they were" {
    mkdir -p two/lib/one two/cmd
    cp "$ROOT/Makefile" two
    echo 'int one(int i); int one(int i) { return 2147483647 + i; }' >two/lib/one/one.c
    echo 'int one(int i); int main(int argc, char **argv) { (void)argv; return one(argc) == 0; }' >two/cmd/main.c
    plain_make -s -C two
    two/bin/rankpipe
    plain_make -s -C two debug
    fails 1 '*runtime error: signed integer overflow*' two/build/debug/bin/rankpipe
    plain_make -q -C two
}

@test "make help lists every target that is no file, each in a line" {
    make -s -C "$ROOT" help | awk '{ print $2 }' | LC_ALL=C sort >have
    sed -n '/^\.PHONY:/,/[^\\]$/p' "$ROOT/Makefile" | tr -d '\\' | tr ' ' '\n' | sed '/^\.PHONY:$/d; /^$/d' |
        tr -d '\t' | LC_ALL=C sort >want
    [ "$(wc -l <want)" -gt 10 ]
    diff have want
    [ -z "$(make -s -C "$ROOT" help | awk 'NF < 4')" ]
}

@test "T= chooses tests by name or path, and builds what they need" {
    needs() { (cd "$ROOT" && sh tests/run -n "$@"); }
    is "$(needs ridge)" build/tests/exact/ridge
    is "$(needs tests/exact/ridge.c)" build/tests/exact/ridge
    is "$(needs explore | sort -u | paste -sd ' ')" 'all build/tests/shim/mkstream build/tests/shim/uncrc'
    needs tests/promises/kill.bats | grep -x build/tests/shim/kill_at
    is "$(needs build | sort -u | paste -sd ' ')" "$(needs tests/promises/build.bats | sort -u | paste -sd ' ')"
    needs faults | grep -x build/tests/shim/faulty.so
    needs fuzz | grep -x build/tests/fuzz/weights
    needs exact house | grep -x build/tests/exact/unbiased
    is "$(needs offline | grep -c '^build/tests/exact/offline$')" 1
    fails 1 "tests/run: no test 'nobody': *" sh "$ROOT/tests/run" -n explore nobody
    # In a copy with a test that passes and one that fails.
    mkdir -p copy/tests/exact copy/tests/programs copy/build/tests/exact
    cp "$ROOT/tests/run" copy/tests
    printf '#!/bin/sh\nexit 3\n' >copy/build/tests/exact/bad
    printf '#!/bin/sh\necho fine\n' >copy/build/tests/exact/good
    chmod +x copy/build/tests/exact/*
    touch copy/tests/exact/bad.c copy/tests/exact/good.c
    is "$(sh copy/tests/run good)" $'build/tests/exact/good\nfine\nok build/tests/exact/good'
    if sh copy/tests/run good bad >out; then return 1; fi
    grep -x 'not ok build/tests/exact/bad' out
}

@test "tests/need -n installs nothing and reports what is missing" {
    fails 1 "tests/need: no no-such-tool here: 'make check' installs it*no other-tool here*" \
        sh "$ROOT/tests/need" -n sh no-such-tool other-tool=package
    fails 0 '' sh "$ROOT/tests/need" -n sh
}

@test "the version is one: of the programs, of NEWS, and of a tag on these sources" {
    version=$(sed -n 's/^#define VERSION "\(.*\)"$/\1/p' "$ROOT/cmd/main.c")
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
    is "$(rankpipe -V | sed 's/+.*//')" "rankpipe $version"
    if [ -f "$ROOT/NEWS" ]; then
        is "$(grep -oE '[0-9]+\.[0-9]+\.[0-9]+' "$ROOT/NEWS" | head -n 1)" "$version"
    fi
    [ -e "$ROOT/.git" ] || skip "no git here: a copy"
    for tag in $(git -C "$ROOT" tag --points-at HEAD --list 'v*'); do is "$tag" "v$version"; done
}

@test "the version has the commit, but for a release: of a checkout, a changed one, a tag, a copy, a tarball" {
    command -v git || skip "no git here"
    mkdir -p one/cmd one/package
    cp "$ROOT/package/version" "$ROOT/package/tarball" one/package
    echo '#define VERSION "1.2.3"' >one/cmd/main.c
    cd one
    is "$(sh package/version)" 1.2.3
    git init -q .
    is "$(sh package/version)" 1.2.3
    git add .
    GIT_COMMITTER_DATE='2026-11-26T01:31:59 +0200' git -c user.name=a -c user.email=a@b.invalid commit -qm one
    commit=$(git rev-parse HEAD | cut -c 1-8)
    is "$(sh package/version)" "1.2.3+git20261125.2331.$commit"
    touch cmd/main.c
    is "$(cd / && sh "$OLDPWD/package/version")" "1.2.3+git20261125.2331.$commit"
    git tag v1.2.4
    git tag v1.2.3
    is "$(sh package/version)" 1.2.3
    echo >>cmd/main.c
    is "$(sh package/version)" "1.2.3+git20261125.2331.$commit.changed"
    sh package/tarball 1.2.3+git build/packed.tar.gz
    cd ..
    tar -xzf one/build/packed.tar.gz
    is "$(sh rankpipe-1.2.3+git/package/version)" 1.2.3+git
    (cd rankpipe-1.2.3+git && sh package/tarball "$(sh package/version)" again.tar.gz)
    same one/build/packed.tar.gz rankpipe-1.2.3+git/again.tar.gz
}
