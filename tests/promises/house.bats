# The order of the house: lib/ leans one way, and each program has its page and its tests.
load ../helper

# The rooms of lib/, each using only itself and those before it.
ROOMS="base kernels math io stream model log explore loss measure feature text relevance learn memory learners run serve"

# Lines "user used": a file of lib/ and a header of lib/ that it includes, both as ROOM/MODULE.
includes() {
    (cd "$ROOT/lib" && grep -H '^#include "' ./*/*.[ch]) |
        sed -n 's,^\./\([a-z0-9_/]*\)\.[ch]:#include "\(.*\)\.h"$,\1 \2,p' | sort -u
}

@test "no room of lib/ uses one that comes after it" {
    [ "$(cd "$ROOT/lib" && echo */)" = "$(printf '%s/\n' $ROOMS python | LC_ALL=C sort | paste -sd ' ')" ] # python: no C
    includes >includes
    [ "$(wc -l <includes)" -gt 200 ]
    awk -F '[ /]' -v rooms="$ROOMS" '
        BEGIN { n = split(rooms, name, " "); for (i = 1; i <= n; i++) at[name[i]] = i }
        at[$3] > at[$1] { print "lib/" $1 "/" $2 " includes " $3 "/" $4 ".h, whose room comes after its own"; bad = 1 }
        END { exit bad }' includes
}

@test "no modules of lib/ use each other in a circle" {
    includes | awk '$1 != $2' >includes
    tsort includes >order
}

# The modules and packages of lib/python, each using only itself and those before it.
PYTHON="rankpipe rankpipe_front rankpipe_supervisor rankpipe_service rankpipe_api rankpipe_site rankpipe_log rankpipe_train"

@test "no module of lib/python uses one that comes after it, and none each other in a circle, wherever they import" {
    command -v python3 || skip "no python3 here"
    (cd "$ROOT/lib/python" && python3 - $PYTHON) >includes <<'END'
import ast, glob, sys
modules = {path[:-3].replace("/", ".").replace(".__init__", ""): path for path in glob.glob("**/*.py", recursive=True)}
assert sorted({module.split(".")[0] for module in modules}) == sorted(sys.argv[1:])
for user, path in modules.items():
    for node in ast.walk(ast.parse(open(path).read())):
        names = [each.name for each in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
        if isinstance(node, ast.ImportFrom):
            base = ".".join([*(user.split(".")[:node.level]), *([node.module] if node.module else [])])
            names = [base, *("%s.%s" % (base, name) for name in names)]
        for used in {*names} & modules.keys() - {user}:
            print(user, used)
            if sys.argv.index(used.split(".")[0]) > sys.argv.index(user.split(".")[0]):
                sys.exit("%s imports %s, which comes after it" % (user, used))
END
    [ "$(wc -l <includes)" -gt 100 ]
    tsort includes >order
}

@test "each header of lib/ names itself in its first line" {
    for header in "$ROOT"/lib/*/*.h; do
        head -n 1 "$header" | grep "^/\* $(basename "$header" .h): "
    done
}

# Lines "user symbol owner": an object of lib/, a symbol that it leaves to others, and the object that has it.
symbols() {
    for source in "$ROOT"/lib/*/*.c; do
        object=${source#"$ROOT/lib/"}
        nm "$ROOT/build/lib/${object%.c}.o" | awk -v object="${object%.c}" '{ print object, $(NF - 1), $NF }'
    done | awk '
        $2 ~ /[A-TV-Z]/ { owner[$3] = $1 }
        $2 == "U" { n++; user[n] = $1; symbol[n] = $3 }
        END { for (i = 1; i <= n; i++) if (symbol[i] in owner) print user[i], symbol[i], owner[symbol[i]] }'
}

@test "an object of lib/ needs those of its own room or of one before it, and none in a circle" {
    not_sanitized "its objects need others"
    symbols >symbols
    [ "$(wc -l <symbols)" -gt 1000 ]
    awk -F '[ /]' -v rooms="$ROOMS" '
        BEGIN { n = split(rooms, name, " "); for (i = 1; i <= n; i++) at[name[i]] = i }
        at[$4] > at[$1] { print "lib/" $1 "/" $2 ".o needs " $3 " of lib/" $4 "/" $5 ".o, whose room comes after its own"; bad = 1 }
        END { exit bad }' symbols
    awk '$1 != $3 { print $1, $3 }' symbols | tsort >order
}

@test "nothing in lib/ prints, exits or keeps static mutable state" {
    run grep -nE '\b(printf|puts|putchar|fprintf|perror|exit|_exit|abort|assert)\(' "$ROOT"/lib/*/*.c
    echo "$output"
    [ "$status" = 1 ]
    not_sanitized "they keep their own state in every object"
    # Writable data, initialised or not, of any object: none (constant tables are .data.rel.ro).
    run sh -c "size -A '$ROOT'/build/lib/*/*.o | awk '\$2 == \":\" { name = \$1 }
        \$1 ~ /^\.(data|data\.rel|data\.rel\.local|bss|tdata|tbss)\$/ && \$2 > 0 { print name, \$2 }'"
    echo "$output"
    [ -z "$output" ]
}

@test "lib/ and cmd/ need libc alone, and of libm only what is exact" {
    run sh -c "nm -u '$ROOT'/build/lib/*/*.o '$ROOT'/build/cmd/*.o | sed -n 's/^ *U //p' | grep -xE '(exp|log|log2|exp2|pow|sin|cos|tan|cbrt|hypot|fma|expm1|log1p|log10)f?l?'"
    echo "$output"
    [ -z "$output" ]
}

@test "each program has its source, its page and its tests" {
    for program in $PROGRAMS; do
        [ -f "$ROOT/cmd/$program.c" ]
        [ -f "$ROOT/man/$program.1" ]
        [ -f "$ROOT/tests/programs/$program.bats" ]
    done
    scripts=$(sed -n 's/^SCRIPTS = //p' "$ROOT/Makefile")
    for script in $scripts; do
        [ -x "$ROOT/cmd/$script" ]
        [ -f "$ROOT/man/rankpipe-$script.1" ]
        grep -qwE "(ROOT/cmd/|rankpipe )$script" "$ROOT"/tests/programs/*.bats
    done
    for source in "$ROOT"/cmd/*.c; do
        name=$(basename "$source" .c)
        [[ $name == @(main|pipeline|place|programs|say) ]] || [[ " $PROGRAMS " == *" $name "* ]]
    done
    is "$(cd "$ROOT/cmd" && ls | grep -v '\.[ch]$')" "$(printf '%s\n' $scripts | LC_ALL=C sort)"
}

@test "a script that calls awk, sort, printf or join, or Python that runs programs, sets LC_ALL" {
    cd "$ROOT" || return 1
    # examples/papers runs by its Makefile alone, and rankpipe.py runs loop alone
    grep -q '^export LC_ALL := C$' examples/papers/Makefile
    for script in $(grep -rlE '^#!/(bin|usr/bin)/' cmd examples --exclude-dir=papers); do
        case $(head -n 1 "$script") in
        *awk*) echo "$script: awk has no locale of its own: put a shell around it" && return 1 ;;
        *python*) calls='^import subprocess|create_subprocess' sets='^    os.environ\["LC_ALL"\] = "C"' ;;
        *) calls='\b(awk|sort|printf|join)\b' sets='^export (.* )?LC_ALL=C\b' ;;
        esac
        ! grep -v '^#' "$script" | grep -qE "$calls" || grep -qE "$sets" "$script" || { echo "$script: no LC_ALL=C" && return 1; }
    done
}

# longer LIMIT FILE...: names the files that have more lines than that.
longer() {
    local limit=$1 file
    shift
    for file; do
        [ "$(wc -l <"$file")" -le "$limit" ] || echo "${file#"$ROOT/"}"
    done
}

@test "a file is a few pages, and a function needs no scrolling" {
    is "$(longer 800 "$ROOT"/cmd/* "$ROOT"/lib/*/*.[ch] "$ROOT"/lib/python/rankpipe_*/*.py)" ''
    is "$(longer 600 "$ROOT"/lib/python/{rankpipe_*,rankpipe_{api,site}/*}.py "$ROOT"/examples/*/*.py)" ''
    is "$(longer 1400 "$ROOT"/lib/python/rankpipe.py)" '' # one file, which users may copy
    awk '
        FNR == 1 { start = 0 }
        /^{/ { start = FNR }
        /^}/ && start && FNR - start > 80 { print FILENAME ":" start ": " FNR - start " lines"; bad = 1 }
        /^}/ { start = 0 }
        length($0) > 100 { print FILENAME ":" FNR ": " length($0) " characters"; bad = 1 }
        END { exit bad }' "$ROOT"/lib/*/*.[ch] "$ROOT"/cmd/*.[ch] "$ROOT"/tests/*/*.[ch]
}

@test "the braces of a function go at most four levels below its own" {
    # Those in texts, characters and comments do not count.
    for source in "$ROOT"/lib/*/*.c "$ROOT"/cmd/*.c; do
        sed "s/\\\\.//g; s/\"[^\"]*\"//g; s/'[^']*'//g; s,/\*.*\*/,,g" "$source" | awk -v source="$source" '
            /^{/ { depth = 0; next }
            { depth -= gsub(/}/, ""); depth += gsub(/{/, "") }
            depth > 4 { print source ":" FNR ": " depth " levels"; bad = 1 }
            END { exit bad }' || return 1
    done
}

@test "no part of the house is larger than its budget" {
    python3 "$ROOT/tests/promises/budget.py" "$ROOT" >sizes
    awk 'NR == FNR { if ($1 !~ /^#|^part$/) most[$1] = $4; next }
        { print $1 ": " $2 " of " most[$1]; n++; if (!($1 in most) || $2 > most[$1]) { print "too many: " $1; bad = 1 } }
        END { exit bad || n != length(most) }' "$ROOT/tests/promises/budget" sizes >&3
}

@test "a static function that is no hook shares its name with those of at most two other files" {
    cd "$ROOT" || return 1
    set -- lib/*/*.c cmd/*.c
    # The hooks of a struct, and functions that a row of a table names.
    { grep -ohE '\(\*[a-z_0-9]+\)\(' lib/*/*.h cmd/*.h; grep -ohE '\.[a-z_0-9]+ = [a-z_0-9]+' "$@" | sed 's/.* = //'; } |
        tr -cd 'a-z_0-9\n' | sort -u >"$BATS_TEST_TMPDIR/hooks"
    grep -HoE '^static [^;={}()]*[ *][a-z_0-9]+\(' "$@" | sed 's/^\([^:]*\):.*[ *]\([a-z_0-9]*\)($/\2 \1/' | sort -u |
        awk 'NR == FNR { hook[$1] = 1; next }
            !hook[$1] { n[$1]++; files[$1] = files[$1] " " $2 }
            END { for (name in n) if (n[name] > 3) { print name " is static in" files[name]; bad = 1 }
                  exit bad }' "$BATS_TEST_TMPDIR/hooks" -
}

@test "each pattern of Python is in the table of patterns, with the texts that are the worst for it" {
    python3 "$ROOT/tests/promises/patterns.py" check
}

@test "no pattern takes more than 50 ms for 10^5 repeats of its worst texts, or more than 3 times that of half" {
    slow
    python3 "$ROOT/tests/promises/patterns.py" time
}

# named PATTERN: the words of HACKING.md that match.
named() {
    grep -oE "$1" "$ROOT/HACKING.md" | sort -u
}

@test "HACKING.md names no file, module or function that does not exist" {
    cd "$ROOT" || return 1
    # paths, where NAME and PROGRAM stand for any word
    named '(build/)?\b(lib|cmd|tests|man|examples|package)/[A-Za-z0-9_./*-]*[A-Za-z0-9_*]' | grep -v '^build/' |
        sed 's/NAME\|PROGRAM/*/' >"$BATS_TEST_TMPDIR/paths"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/paths")" -gt 40 ]
    while read -r path; do
        compgen -G "$path" >/dev/null || { echo "no $path" && return 1; }
    done <"$BATS_TEST_TMPDIR/paths"
    # files without their folder
    for file in $(named '[a-z0-9_]+\.[ch]\b'); do
        find lib cmd tests -name "*$file" | grep -q . || { echo "no $file" && return 1; }
    done
    # modules in the list of rooms, in brackets
    sed -n '/^## The rooms/,/^Not in/p' HACKING.md | awk '
        /^    [a-z]/ { room = $1 }
        { while (match($0, /\([a-z0-9_]+\)/)) {
            print "lib/" room "/" substr($0, RSTART + 1, RLENGTH - 2) ".h"
            $0 = substr($0, RSTART + RLENGTH) } }' >"$BATS_TEST_TMPDIR/modules"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/modules")" -gt 20 ]
    for module in $(<"$BATS_TEST_TMPDIR/modules"); do [ -f "$module" ] || { echo "no $module" && return 1; }; done
    is "$(sed -n '/^## The rooms/,/^Not in/s/^    \([a-z][a-z]*\) .*/\1/p' HACKING.md | paste -sd ' ')" "$ROOMS"
    # functions and tables
    for name in $(named '`[a-z0-9]+_[a-z0-9_]+`' | tr -d '`'); do
        grep -rqw "$name" lib cmd tests || { echo "no $name" && return 1; }
    done
}

# words: C as its words and the spaces between them, wherever lines break and comments are aligned.
words() {
    sed 's/ *\\$//' | tr -s ' \n' ' ' | sed 's/\([({]\) /\1/g; s/ }/}/g'
}

@test "the C of the tree has the spaces of .clang-format; where lines break is the author's choice" {
    slow
    command -v clang-format >/dev/null || skip "no clang-format here"
    [ -e "$ROOT/.clang-format" ] || skip "no .clang-format here: a copy"
    cd "$ROOT" || return 1
    set -- cmd/*.[ch] lib/*/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] examples/*/*.[ch]
    clang-format "$@" | words >"$BATS_TEST_TMPDIR/laid" # in one process, which is sooner
    cat "$@" | words | cmp -s - "$BATS_TEST_TMPDIR/laid" || for source; do
        clang-format "$source" | words >"$BATS_TEST_TMPDIR/laid"
        words <"$source" | cmp - "$BATS_TEST_TMPDIR/laid" || {
            echo "$source: clang-format $source | diff $source - shows where, among other places"
            return 1
        }
    done
}

# modules FOLDER: the names of its modules, each of a .c, a .h or both.
modules() {
    ls "$1" | sed -n 's/\.[ch]$//p' | sort -u
}

@test "no basename stands twice, a room has at most a dozen modules, and all together 360 files" {
    cd "$ROOT" || return 1
    is "$(for room in lib/*/ cmd/; do modules "$room"; done | sort | uniq -d)" ''
    for room in $ROOMS; do
        [ "$room" = learners ] || [ "$(modules "lib/$room" | wc -l)" -le 12 ] || { echo "lib/$room has more" && return 1; }
    done
    [ "$(ls lib/*/*.[ch] cmd/*.[ch] | wc -l)" -le 360 ]
}

