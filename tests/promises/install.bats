# make install: everything where a package wants it, under the names it wants.
load ../helper

MAKE="make -C $BATS_TEST_DIRNAME/../.."

@test "make install honours DESTDIR and PREFIX: programs and pages" {
    $MAKE -s install DESTDIR="$PWD/stage" PREFIX=/usr
    for program in rankpipe $PROGRAMS; do
        [ -x "stage/usr/bin/$program" ]
        [ -f "stage/usr/share/man/man1/$program.1" ]
    done
    [ -f stage/usr/share/man/man5/rankpipe.5 ]
    [ -f stage/usr/share/man/man7/rankpipe.7 ]
    small_text | svm2bin >here
    small_text | stage/usr/bin/svm2bin >there
    same here there
}

@test "an installation can be moved: links are to names, not to places" {
    $MAKE -s install DESTDIR="$PWD/stage" PREFIX=/usr
    mv stage/usr/bin elsewhere
    [ "$(elsewhere/svm2bin -V)" = "$(svm2bin -V)" ]
}

@test "PROGPREFIX goes before every name, and the programs still know who they are" {
    $MAKE -s install DESTDIR="$PWD/stage" PREFIX=/usr PROGPREFIX=rp-
    [ "$(ls stage/usr/bin | sort | tr '\n' ' ')" = \
        "$(for program in rankpipe $PROGRAMS; do echo rp-$program; done | sort | tr '\n' ' ')" ]
    [ -f stage/usr/share/man/man1/rp-feedback-mask.1 ]
    [ "$(stage/usr/bin/rp-feedback-mask -h)" = "$(feedback-mask -h)" ]
    stage/usr/bin/rp-rankpipe | grep 'feedback-mask'
}

@test "make uninstall takes away what make install put there" {
    $MAKE -s install DESTDIR="$PWD/stage" PREFIX=/usr PROGPREFIX=rp-
    $MAKE -s uninstall DESTDIR="$PWD/stage" PREFIX=/usr PROGPREFIX=rp-
    [ -z "$(find stage ! -type d)" ]
}

@test "a second install goes over the first" {
    $MAKE -s install DESTDIR="$PWD/stage" PREFIX=/usr
    $MAKE -s install DESTDIR="$PWD/stage" PREFIX=/usr
    [ "$(stage/usr/bin/rankpipe -V)" = "$(rankpipe -V)" ]
}
