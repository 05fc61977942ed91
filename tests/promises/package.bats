# From the sources to another machine: the tarball, the Debian package, the program that needs
# nothing.
load ../helper

MAKE="make -C $ROOT"
VERSION=$(sh "$ROOT/package/version")
TARBALL=$ROOT/build/rankpipe-$VERSION.tar.gz

# debian: makes the packages, once for all tests of this file, and names them in $deb, $server and $python.
debian() {
    in_release
    not_sanitized "the package would need their libraries"
    command -v dh || skip "no debhelper here"
    deb=$ROOT/build/rankpipe_$VERSION-1_$(dpkg --print-architecture).deb
    server=$ROOT/build/rankpipe-server_$VERSION-1_all.deb python=$ROOT/build/python3-rankpipe_$VERSION-1_all.deb
    [ -e "$BATS_FILE_TMPDIR/made" ] || $MAKE -s deb
    touch "$BATS_FILE_TMPDIR/made"
}

# in_root COMMAND...: dpkg in a root of its own, where nothing but libc6 is installed.
in_root() {
    dpkg --root="$PWD/root" --log="$PWD/dpkg.log" --force-not-root --force-bad-path --force-script-chrootless "$@"
}

# curve FOLDER: what these programs learn from the same labels, as text.
curve() {
    small_text | "$1/svm2bin" >q.bin
    "$1/replay" -n 200 -s 1 q.bin | "$1/update" -a listnet -T 200 | "$1/bin2txt"
}

@test "make dist: the same bytes each time, for every user" {
    $MAKE -s dist
    cp "$TARBALL" first
    (umask 077 && $MAKE -s dist)
    same first "$TARBALL"
    SOURCE_DATE_EPOCH=1000000000 $MAKE -s dist
    run tar -tvzf "$TARBALL" --utc
    [ -z "$(echo "$output" | grep -v ' 0/0 .* 2001-09-09 01:46 ')" ]
    tar -tzf "$TARBALL" >names
    LC_ALL=C sort -c names
    [ -z "$(grep -v "^rankpipe-$VERSION/" names)" ]
    [ -z "$(grep -E '^[^/]*/(\.|bin/|build/)' names)" ]
    $MAKE -s dist
    same first "$TARBALL"
}

@test "make dist: all that git has is in it, and nothing else" {
    [ -e "$ROOT/.git" ] || skip "no git here: a copy"
    $MAKE -s dist
    { git -C "$ROOT" ls-files && echo package/packed; } | grep -v '^\.' | LC_ALL=C sort >want
    tar -tzf "$TARBALL" | sed "s,^rankpipe-$VERSION/,," >have
    same have want
}

@test "the tarball builds without git, installs, and makes itself again" {
    in_release
    not_sanitized "it is built without them"
    $MAKE -s dist
    tar -xzf "$TARBALL"
    cd "rankpipe-$VERSION"
    make -s -j2 CFLAGS=-O1 all
    # Not in these tests' own surroundings, of which another bats would take over some.
    path=$(echo "$PATH" | tr ':' '\n' | grep -v 'libexec/bats-core$' | paste -sd :)
    env -i PATH="$path" HOME="$HOME" TMPDIR="${TMPDIR:-/tmp}" CFLAGS=-O1 \
        bats -f 'honours|moved|every name|scripts|uninstall|second' tests/promises/install.bats
    make -s dist
    same "$TARBALL" "build/rankpipe-$VERSION.tar.gz"
}

@test "make deb: what every package has" {
    debian
    dpkg-deb -x "$deb" root
    dpkg-deb -e "$deb" control
    (cd root && md5sum --quiet -c ../control/md5sums)
    [ "$(wc -l <control/md5sums)" = "$(find root -type f | wc -l)" ]
    grep -x 'Depends: libc6 (>= [0-9.]*).*' control/control
    grep -x 'Recommends: python3 (>= 3.9)' control/control
    grep -x 'Suggests: gnuplot-nox | gnuplot, make, parallel, python3-rankpipe, rankpipe-server' control/control
    doc=root/usr/share/doc/rankpipe
    zcat $doc/changelog.Debian.gz | grep "^rankpipe ($VERSION-1) "
    zcat $doc/changelog.gz | cmp - "$ROOT/NEWS"
    zcat $doc/README.md.gz | cmp - "$ROOT/README.md"
    grep -x 'License: ISC' $doc/copyright
    sed -n '/^License: ISC$/,$s/^ //p' $doc/copyright | sed 's/^\.$//' >license
    sed 1,2d "$ROOT/LICENSE" | cmp - license
    $MAKE -s install DESTDIR="$PWD/stage" PREFIX=/usr GENERAL=libexec
    for page in $(cd stage/usr/share/man && echo man*/*); do
        zcat "root/usr/share/man/$page.gz" | cmp - "stage/usr/share/man/$page"
    done
    is "$(find root/usr/share/man -type f | wc -l)" "$(ls "$ROOT"/man | wc -l)"
    [ -f root/usr/share/man/man1/rankpipe-score.1.gz ]
    is "$(cd root/usr/bin && echo *)" 'add-models bin2txt feedback-join feedback-mask log2bin rankpipe svm2bin weights2bin'
    [ -f root/usr/share/bash-completion/completions/svm2bin ]
    [ -f root/usr/share/zsh/vendor-completions/_rankpipe ]
    [ -z "$(find root ! -type l -perm /022)" ]
    # Hardened, and what a debugger needs lies beside it.
    readelf -Wdl root/usr/bin/rankpipe >elf
    grep 'FLAGS_1.*NOW PIE' elf
    grep 'GNU_RELRO' elf
    readelf -Ws root/usr/bin/rankpipe | grep '_chk@GLIBC'
    id=$(readelf -n root/usr/bin/rankpipe | sed -n 's/.*Build ID: //p')
    dpkg-deb -c "$ROOT"/build/deb/rankpipe-dbgsym_*.deb | grep "/${id:0:2}/${id:2}.debug$"
}

@test "make deb: the same bytes each time, for every user" {
    debian
    mkdir first
    cp "$deb" "$server" "$python" first
    (umask 077 && CFLAGS=-O0 $MAKE -s deb) >made
    is "$(cat made)" "$(printf 'build/%s\n' "${deb##*/}" "${server##*/}" "${python##*/}")"
    for package in "$deb" "$server" "$python"; do same "first/${package##*/}" "$package"; done
}

@test "make deb: the service has units, accounts, folders and options; the module is the one of rankpipe" {
    debian
    for package in "$deb" "$server" "$python"; do dpkg-deb -x "$package" root; done
    is "$(dpkg-deb -f "$server" Depends)" "systemd | systemd-standalone-sysusers | systemd-sysusers, python3 (>= 3.9), rankpipe (>= $VERSION)"
    is "$(dpkg-deb -f "$python" Depends)" "python3 (>= 3.9), rankpipe (>= $VERSION)"
    is "$(dpkg-deb -I "$server" conffiles)" /etc/default/rankpipe
    # No unit is in two places, and what a unit runs, and the page that it names, are there.
    is "$(cd root && find . -name 'rank*.service' -o -name 'rank*.socket' -o -name 'rank*.timer' | sed 's,/[^/]*$,,' | sort -u | wc -l)" 1
    find root -path '*/systemd/system/rank*' -exec cat {} + >units
    is "$(grep -c '^Documentation=man:rankpipe-operating(7)$' units)" 6
    for file in $(grep -o '/usr/\(bin/rankpipe\|share/rankpipe/[a-z/.]*\)' units); do [ -e "root$file" ]; done
    # /etc/default has each variable of the units, with the value that it has without the file.
    sed -n 's/^Environment=//p' units | xargs printf '%s\n' | LC_ALL=C sort >want
    sed -n 's/^#\([A-Z_]*=\)/\1/p' root/etc/default/rankpipe | LC_ALL=C sort >have
    is "$(wc -l <have)" 3
    same want have
    PYTHONPATH=root/usr/lib/python3/dist-packages python3 -c 'import os, rankpipe
assert os.path.samefile(rankpipe.__file__, "root/usr/share/rankpipe/rankpipe.py")'
    [ "$(id -u)" = 0 ] && command -v systemd-sysusers && command -v systemd-tmpfiles || skip "no root, or no systemd"
    systemd-sysusers --root="$PWD/root"
    systemd-tmpfiles --root="$PWD/root" --create rankpipe-server.conf
    systemd-tmpfiles --root="$PWD/root" --create rankpipe-server.conf
    id() { sed -n "s/^$2:x:\([0-9]*\):.*/\1/p" "root/etc/$1"; }
    is "$(stat -c '%a %u %g' root/var/lib/rank root/var/lib/rank/answers)" "755 $(id passwd rank) $(id group rank)
2770 $(id passwd rank-api) $(id group rank)"
}

@test "the package is installed, used and removed, and nothing stays" {
    debian
    mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates root/var/lib/dpkg/triggers
    dpkg-query -s libc6 >root/var/lib/dpkg/status
    find root | sort >before
    in_root -i "$deb"
    in_root -s rankpipe | grep -x 'Status: install ok installed'
    [ "$(root/usr/bin/svm2bin -h)" = "$(svm2bin -h)" ]
    is "$(root/usr/bin/rankpipe --path)" "$PWD/root/usr/libexec/rankpipe"
    curve root/usr/libexec/rankpipe >there
    curve "$ROOT/bin" >here
    [ -s here ]
    same here there
    is "$(root/usr/bin/rankpipe plot -h)" "$(rankpipe plot -h)"
    mkdir root/usr/share/rankpipe/rankpipe_service/__pycache__ # as Python does, for root
    in_root -P rankpipe
    [ ! -e root/usr ]
    find root ! -path 'root/var/lib/dpkg/*' | sort >after
    grep -v '^root/var/lib/dpkg/' before | cmp - after
}

@test "the package and its source are as Debian wants them" {
    in_release
    command -v lintian || skip "no lintian here"
    debian
    # Debian has been asked for no such package, so that the first one answers no such request.
    run lintian --allow-root --pedantic --display-info --suppress-tags initial-upload-closes-no-bugs \
        "$ROOT/build/deb/rankpipe_$VERSION-1_$(dpkg --print-architecture).changes"
    echo "$output"
    [ "$status" = 0 ]
    [ -z "$output" ]
}

@test "make static: one file of less than 650 KB, that learns the same" {
    in_release
    not_sanitized "it is built without them"
    command -v musl-gcc || skip "no musl-gcc here"
    run $MAKE -s static
    echo "$output"
    [ "$status" = 0 ]
    size=$(wc -c <"$ROOT/build/static/rankpipe")
    [ "${lines[-1]}" = "build/static/rankpipe: $size bytes" ]
    [ "$size" -lt 650000 ]
    run readelf -d "$ROOT/build/static/rankpipe"
    [[ $output != *NEEDED* ]]
    mkdir static
    for program in $PROGRAMS; do ln -s "$ROOT/build/static/rankpipe" "static/$program"; done
    curve static >there
    curve "$ROOT/bin" >here
    [ -s here ]
    same here there
}
