# The manual tells the truth: its pages are sound mdoc, their usage is the programs', and what
# their examples say can be done is done.
load ../helper

NEEDS=mandoc

# A page as text on a terminal, without its bold and underlined letters.
page() {
    mandoc -Tascii "$ROOT/man/$1" | awk '{ gsub(/.\010/, ""); print }'
}

# section PAGE NAME: what stands under a heading.
section() {
    page "$1" | awk -v name="$2" '/^[A-Z]/ { on = $0 == name; next } on'
}

# The commands of a page's EXAMPLES: lines that begin with "$ ", and what goes on from them.
commands() {
    section "$1" EXAMPLES | awk '
        more || /^ *\$ / { more = / \|$|\\$/; sub(/^ *(\$ )?/, ""); print }'
}

# The options that a program's page explains: lines of letter and value's name, as rows has them.
explained() {
    sed -n 's/^\.It Fl \([0-9A-Za-z]\)$/\1\t-/p; s/^\.It Fl \([0-9A-Za-z]\) Ar \([^ ]*\)$/\1\t\2/p' \
        "$ROOT/man/$1.1"
}

# defaults PAGE LETTER: the sentences on defaults where a page explains an option, as plain text.
defaults() {
    awk -v letter="$2" '
        $1 == ".It" && $2 == "Fl" { on = $3 == letter }
        $1 == ".El" { on = 0 }
        on && $1 == ".It" { next }
        on { sub(/^\.[A-Z][a-z] /, ""); gsub(/ Ns /, ""); gsub(/\\\(ha/, "^"); print }
    ' "$ROOT/man/$1.1" | sed 's/ *\.$/\r/' | tr '\n\r' ' \n' | grep -i default
}

@test "every page is sound" {
    run mandoc -Tlint -W warning "$ROOT"/man/*
    echo "$output"
    [ "$status" = 0 ]
    [ -z "$output" ]
}

@test "every page fits a terminal of 80 columns" {
    for file in "$ROOT"/man/*; do
        page "$(basename "$file")" >text
        run awk 'length > 80' text
        echo "$file: $output"
        [ -z "$output" ]
    done
}

@test "sections stand in one order, and no page lacks the first of them" {
    order="NAME SYNOPSIS DESCRIPTION FILES EXIT_STATUS EXAMPLES DIAGNOSTICS SEE_ALSO STANDARDS
        HISTORY CAVEATS BUGS SECURITY"
    for file in "$ROOT"/man/*; do
        echo "$file"
        has=$(sed -n 's/^\.Sh //p' "$file" | tr ' ' _)
        sorted=$(for name in $order; do echo "$has" | grep -x "$name" || true; done)
        [ "$has" = "$sorted" ]
        for name in NAME DESCRIPTION EXAMPLES SEE_ALSO; do echo "$has" | grep -qx $name; done
        case $file in
        *.1) for name in SYNOPSIS EXIT_STATUS; do echo "$has" | grep -qx $name; done ;;
        esac
    done
}

@test "a program's usage is its page's SYNOPSIS" {
    for program in rankpipe $PROGRAMS; do
        echo "$program"
        is "$(section "$program.1" SYNOPSIS | xargs)" "$(usage "$program")"
    done
}

@test "every option is explained, and nothing else is, in order, by the names that -h gives" {
    for program in $PROGRAMS; do
        echo "$program"
        is "$(explained "$program")" "$(rows "$program" | sed '/^-/d' | cut -f 1,2 | LC_ALL=C sort)"
        is "$(explained "$program")" "$(rows "$program" | sed '/^-/d' | cut -f 1,2)"
    done
}

@test "every default that -h gives stands where the page explains the option" {
    : >found
    for program in $PROGRAMS; do
        rows "$program" | sed '/^-/d' >rows
        while IFS=$'\t' read -r letter name text; do
            # Words that stand for themselves: numbers, and those of the option's list.
            words=$(sed -n 's/.* - one of: //p' <<<"$text")
            grep -oE '\(default[^)]*\)' <<<"$text" | tr '(),;: ' '\n' >tokens
            while read -r token; do
                [[ $token =~ ^[0-9][0-9.e/^-]*$ || " $words " == *" $token "* ]] || continue
                defaults "$program" "$letter" | grep -qwF -e "$token" ||
                    { [ "$program" = synth ] && section synth.1 DESCRIPTION | grep -qwF -e "$token"; } ||
                    { echo "$program -$letter $name: the page does not say $token" && exit 1; }
                echo "$program -$letter $token" >>found
            done < <(grep . tokens)
        done <rows
    done
    [ "$(wc -l <found)" -ge 50 ]
}

@test "the page of learners says of each what is proved" {
    for learner in $(update -a nobody </dev/null 2>&1 | sed -n 's/.*choose from //p' | tr -d ,); do
        awk -v learner="$learner" '
            /^\.It/ { for (entry = i = 0; i <= NF; i++) if ($i == learner) entry = 1 }
            entry && /^proved / { found = 1 }
            END { if (!found) print learner; exit !found }' "$ROOT/man/rankpipe-learners.7"
    done
}

@test "the tour and the dispatcher's page name every program" {
    for program in $PROGRAMS; do
        grep -q "^\.It Xr $program 1$" "$ROOT/man/rankpipe.1"
        grep -q "^\.It Xr $program 1$" "$ROOT/man/rankpipe.7"
        line=$(rankpipe | sed -n "s|^  $program  *||p")
        [ -n "$line" ]
        sed -n "/^\.It Xr $program 1$/{n;p;}" "$ROOT/man/rankpipe.1" | grep -Fx "$line"
    done
}

@test "the dispatcher's page describes every script as the dispatcher does" {
    rankpipe | sed -n '/^scripts:/,/^$/s/^  \([^ ]*\)  *\(.*\)/\1 \2/p' >scripts
    [ "$(wc -l <scripts)" = 14 ]
    while read -r name line; do
        sed -n "/^\.It Xr rankpipe-$name 1$/{n;p;}" "$ROOT/man/rankpipe.1" | grep -Fx "$line"
    done <scripts
}

@test "every script has a page: its usage is SYNOPSIS, and every option is explained in order" {
    while read -r name; do
        echo "$name"
        section "rankpipe-$name.1" SYNOPSIS | xargs | sed 's/rankpipe //g' >have
        case $name in
        add-tables) continue ;; # without -h
        live) is "$(cat have)" "$(rankpipe live -h | sed -n 's/^ *rankpipe //p' | xargs)" ;;
        *) is "$(cat have)" "$(rankpipe "$name" -h | tr "'" @ | sed -n '/^$/q; s/^usage: //; p' | xargs | tr -d @)" ;;
        esac
        rankpipe "$name" -h | sed -n 's/^  -\([A-Za-z]\) \([a-z][a-z]*\) .*/\1\t\2/p; s/^  -\([A-Za-z]\)   .*/\1\t-/p' >want
        explained "rankpipe-$name" | cmp - want
        rankpipe "$name" -h | sed -n "s/^  \([a-z.X-]*\)=.*/\1/p" >want
        sed -n 's/^\.It Cm \([a-z.X-]*\) Ns = .*/\1/p' "$ROOT/man/rankpipe-$name.1" | cmp - want
    done < <(sed -n 's/^SCRIPTS = //p' "$ROOT/Makefile" | tr ' ' '\n')
}

@test "every page can be asked for, and a mistyped one is named" {
    printf '#!/bin/sh\n[ "$1" != -w ] && echo "$*"\n' >man
    chmod +x man
    for file in "$ROOT"/man/*; do
        name=$(basename "${file%.*}")
        [ "$file" != "$ROOT/man/rankpipe.5" ] || continue
        [[ $name == rankpipe ]] || is "$(PATH=$PWD:$PATH rankpipe help "${name#rankpipe-}" | sed 's|.*/man/||')" "$(basename "$file")"
        fails 2 "rankpipe: no page '?*': did you mean ${name#rankpipe-}?*" rankpipe help "${name#rankpipe-}x"
    done
}

@test "every page that is referred to is there" {
    sed -n 's/^\(\.It \)*\.*Xr \([^ ]*\) \([0-9]\).*/\2.\3/p' "$ROOT"/man/* | sort -u | while read -r to; do
        case $to in
        mkfifo.1 | cat.1 | cp.1 | man.1 | mv.1 | sh.1) ;;
        *) [ -f "$ROOT/man/$to" ] || { echo "no $to" && exit 1; } ;;
        esac
    done
}

# programs PAGE: stores the programs in its EXAMPLES, which begin with "# NAME.py: ", and end where the
# indent does.
programs() {
    section "$1" EXAMPLES | awk '
        /^ *# [a-z]*\.py: / { name = substr($2, 1, length($2) - 1); indent = match($0, /#/) - 1 }
        NF && match($0, /[^ ]/) <= indent { name = "" }
        name { print substr($0, indent + 1) >name }'
}

# run_examples PAGE: runs its commands in a folder of their own.
run_examples() {
    mkdir "$1" && cd "$1"
    ln -s "$ROOT/examples" "$ROOT/lib" .
    commands "$1" >commands
    programs "$1"
    echo "$1:" && cat commands
    [ -s commands ]
    timeout 60 bash -e -o pipefail -c 'trap "kill \$(jobs -p) 2>/dev/null || :" EXIT; . ./commands' \
        >out 2>err </dev/null 3>&- || { cat err && return 1; }
    cat err
    # What a run of train says of itself, and the command that it ends with; what judge found; what log wrote.
    run grep -vE '^log: wrote |^site: [0-9]* documents of |^judge: (users|gain) |^update: resuming from round [1-9][0-9]* of [a-z0-9]*\.bin$|^train: |^    svm2bin -n new.svm ' err
    is "$output" ''
    cd ..
}

@test "the examples of every page run, and print nothing on stderr, except what a run says of itself" {
    for file in "$ROOT"/man/*; do
        name=$(basename "$file")
        case $name in
        rankpipe-operating.7 | rankpipe-python.7 | rankpipe-logs.7 | rankpipe-plot.1 | rankpipe-sweep.1 | rankpipe-train.1) ;; # by tests of their own
        *) run_examples "$name" ;;
        esac
    done
}

# Those of all pages that call awk, sort or printf, and neither draw seeds nor ask what time it is.
examples_with_numbers() {
    for file in "$ROOT"/man/*; do
        name=$(basename "$file")
        case $name in
        rankpipe-operating.7 | rankpipe-python.7 | rankpipe-logs.7 | explore.1 | feedback-join.1 | serve.1 | spool.1 | update.1) continue ;;
        esac
        ! commands "$name" | grep -qwE 'awk|sort|printf' || run_examples "$name" >/dev/null
    done
}

@test "the examples of pages that call awk, sort or printf do the same where a comma is decimal" {
    slow
    alike examples_with_numbers
}

@test "the examples of rankpipe-train(1) run, and the first prints the table that the page has" {
    command -v python3 || skip "no python3 here"
    run_examples rankpipe-train.1
    section rankpipe-train.1 DESCRIPTION | sed -n 's/^ *\(\(learner\|random order\|memory\)  .*\)/\1/p' >shown
    head -n 3 rankpipe-train.1/out | cmp - shown
}

@test "the examples of rankpipe-plot(1) run, and print nothing on stderr" {
    command -v gnuplot || skip "no gnuplot here"
    run_examples rankpipe-plot.1
    grep -q ' 1000 *$' rankpipe-plot.1/out
    [ -s rankpipe-plot.1/map.png ]
}

@test "the examples of rankpipe-sweep(1) run, and print nothing on stderr" {
    command -v parallel || skip "no parallel here"
    export HOME=$PWD
    run_examples rankpipe-sweep.1
    is "$(wc -l <rankpipe-sweep.1/steps/sweep.tsv)" 5
    is "$(cut -f 1 rankpipe-sweep.1/tradeoffs/sweep.tsv | sed 1d | paste -sd ' ')" 'ridge ridge memory memory'
    is "$(cut -f 1 rankpipe-sweep.1/owned/sweep.tsv | sed 1d | paste -sd ' ')" 'exec:own kl'
}

@test "the examples and programs of rankpipe-python(7) run, and print nothing on stderr" {
    command -v python3 || skip "no python3 here"
    run_examples rankpipe-python.7
    cat rankpipe-python.7/out
    grep -x 'memory 240 rounds 3 features' rankpipe-python.7/out
    is "$(sed -n '/^new user$/,$p' rankpipe-python.7/out | head -n 3 | cut -f 1,2)" $'new user\n1\tadduser\n2\tls'
    is "$(tail -n 2 rankpipe-python.7/out | sed 's/ [0-9a-f]*$//')" \
        "new user ['adduser', 'ls']"$'\n'"list files ['adduser', 'ls']"
    is "$(spooled_last rankpipe-python.7/log)" 2
    # Its own learner learns: random order has .43.
    awk '$2 < 0.6 { exit 1 }' rankpipe-python.7/shown
    tail -n 1 rankpipe-python.7/judged | awk '$2 < 0.7 { exit 1 }'
}

@test "the examples of rankpipe-operating(7) run, and print nothing on stderr" {
    for tool in rsync python3 curl; do command -v $tool || skip "no $tool here"; done
    run_examples rankpipe-operating.7
    cat rankpipe-operating.7/out
    grep -q '"ranking": \["page' rankpipe-operating.7/out
    grep -q 'rounds=31 ' rankpipe-operating.7/out
}

@test "rankpipe(5): the record in hex is what svm2bin gives" {
    commands rankpipe.5 | head -n 3 >commands
    grep -q '^od ' commands
    bash -e -o pipefail commands >want
    section rankpipe.5 EXAMPLES | sed -n 's/^ *\(0000[0-9]*\( [0-9a-f][0-9a-f]\)*\)$/\1/p' >have
    [ "$(wc -l <have)" -ge 5 ]
    same have want
}

@test "rankpipe(5): the sample reader reads" {
    command -v python3 || skip "no python3 here"
    section rankpipe.5 EXAMPLES | awk '
        !on && /^ *import / { on = 1; match($0, /^ */); indent = RLENGTH }
        on { print substr($0, indent + 1) }' >reader.py
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    cat q.bin q.bin >twice.bin
    python3 reader.py <q.bin >have
    awk '{ sub("qid:", "", $2); if ($2 != q) { if (q) print ++t, q, s; q = $2; s = 0 } s += $1 }
        END { print ++t, q, s }' "$ROOT/examples/data/small.svm" | sed 's/$/.0/' >want
    same have want
    python3 reader.py <twice.bin >have
    cat want want >twice
    same have twice
    head -c 5000 q.bin >cut.bin
    fails_on cut.bin 1 "not a rankpipe stream: *" python3 reader.py
}
