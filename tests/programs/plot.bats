# plot: a curve as a picture, in the terminal or in a file, once or while it grows.
load ../helper

need_gnuplot() {
    command -v gnuplot >/dev/null || skip "no gnuplot here: it draws the pictures"
}

plot() {
    sh "$ROOT/cmd/plot" "$@"
}

# Two columns, of which one rises and one falls.
curve() {
    printf 't\tndcg@10\tloss:rank_svm\n'
    for t in 1 2 5 10 20 50 100; do
        awk -v t=$t 'BEGIN { printf "%d\t%.3f\t%.3f\n", t, t / 200, 2 / t }'
    done
}

# points PICTURE: how many are marked in it, except those next to the names.
points() {
    local marks names
    marks=$(grep -o '#gpPt[0-9]*. transform=.translate' "$1" | wc -l)
    names=$(grep -c '<g id="gnuplot_plot_' "$1")
    echo $((marks - names))
}

@test "a curve is drawn as text of 80 columns, every column with its name" {
    need_gnuplot
    curve >curve.tsv
    plot curve.tsv >picture
    cat picture
    is "$(awk 'length > 80' picture)" ''
    is "$(wc -l <picture)" 23
    grep 'ndcg@10 .*A.*loss:rank_svm .*B' picture
    grep '1  *10  *100' picture
}

@test "columns are chosen by name or number" {
    need_gnuplot
    curve >curve.tsv
    plot curve.tsv ndcg@10 >picture
    is "$(grep -c loss picture)" 0
    # It rises: the first point is at the left of the lowest row of points, the last at the right of the highest.
    awk '/ndcg/ { next } /A/ { at = match($0, /A/); if (was && at >= was) exit 1; was = at }' picture
    plot -o one.svg curve.tsv ndcg@10
    is "$(points one.svg)" 7
    plot -o both.svg curve.tsv
    is "$(points both.svg)" 14
    plot curve.tsv 1 >again
    same picture again
    plot curve.tsv 2 loss:rank_svm >picture
    is "$(grep -c ndcg picture)" 0
}

@test "a column held-out:NAME is points in the colour of NAME, and no line of its own" {
    need_gnuplot
    curve | awk -F '\t' -v OFS='\t' '{ print $0, NR == 1 ? "held-out:ndcg@10" : NR == 8 ? 0.25 : "nan" }' >curve.tsv
    plot -o all.svg curve.tsv
    is "$(grep -o '#gpPt6. transform=.translate' all.svg | wc -l)" 2 # one is by its name
    is "$(grep -c 'gnuplot_plot_[0-9]*a*"' all.svg)" 4 # two lines, the point and its name
    grep -q '>held out<' all.svg
    # the colour of a line is that of its points
    colour() { awk -v plot="gnuplot_plot_$1\"" 'index($0, plot) { in_it = 1 }
        in_it && match($0, /rgb\([^)]*\)/) { print substr($0, RSTART, RLENGTH); exit }' all.svg; }
    is "$(colour 1)" "$(colour 2)"
    [ "$(colour 3)" != "$(colour 2)" ]
    plot -o other.svg curve.tsv loss:rank_svm
    is "$(grep -c 'held out' other.svg || true)" 0
}

@test "as wide and high as the terminal, and the next prompt fits" {
    need_gnuplot
    command -v script >/dev/null || skip "no script(1) here: it makes a terminal"
    curve >curve.tsv
    printf 'stty rows 15 cols 50; sh %q curve.tsv' "$ROOT/cmd/plot" >text
    script -qec 'bash text' /dev/null >picture </dev/null
    tr -d '\r' <picture >lines
    is "$(wc -l <lines)" 14
    is "$(awk '{ if (length > most) most = length } END { print most }' lines)" 50
}

@test "a picture in a file is whole SVG, and no other file remains" {
    need_gnuplot
    curve >curve.tsv
    mkdir out
    plot -o out/curve.svg curve.tsv >said
    [ ! -s said ]
    is "$(ls out)" curve.svg
    grep '^<svg' out/curve.svg
    is "$(tail -n 1 out/curve.svg)" ''
    grep '</svg>' out/curve.svg
    grep 'ndcg@10' out/curve.svg
    grep 'loss:rank_svm' out/curve.svg
}

@test "several tables: a line each, named from its file, its path, or -n" {
    need_gnuplot
    mkdir 'two words' other
    curve >'two words/ridge.tsv'
    curve | head -n 5 >kl.tsv
    curve | head -n 4 >other/kl.tsv
    plot -o first.svg 'two words/ridge.tsv' kl.tsv
    grep '>ridge<' first.svg
    grep '>kl<' first.svg
    grep '>ndcg@10<' first.svg # the axis
    is "$(points first.svg)" 11
    plot -o loss.svg kl.tsv 'two words/ridge.tsv' other/kl.tsv loss:rank_svm
    for name in kl.tsv ridge other/kl.tsv loss:rank_svm; do grep ">$name<" loss.svg; done
    is "$(points loss.svg)" 14
    plot -o both.svg -n "it's one" -n two kl.tsv other/kl.tsv 1 2
    for name in "it's one, ndcg@10" "it's one, loss:rank_svm" 'two, ndcg@10' 'two, loss:rank_svm'; do
        sed 's/&apos;/'"'"'/g; s/&#39;/'"'"'/g' both.svg | grep ">$name<"
    done
    is "$(points both.svg)" 14
    plot kl.tsv 'two words/ridge.tsv' >picture
    grep 'kl .*A.*ridge .*B' picture
}

@test "the picture's name says its form: PNG, PDF, otherwise SVG" {
    need_gnuplot
    curve >curve.tsv
    for name in a.png A.PNG; do
        plot -o $name curve.tsv
        is "$(head -c 8 $name | od -An -tx1)" ' 89 50 4e 47 0d 0a 1a 0a'
    done
    plot -o a.pdf curve.tsv
    is "$(head -c 5 a.pdf)" %PDF-
    tail -n 1 a.pdf | grep '%%EOF'
    for name in a.svg plain; do
        plot -o $name curve.tsv
        grep '^<svg' $name
    done
    is "$(ls)" 'A.PNG
a.pdf
a.png
a.svg
curve.tsv
plain'
}

@test "a gnuplot without the terminals is reported, with the package that has them" {
    need_gnuplot
    curve >curve.tsv
    mkdir lacks
    printf '%s\n' '#!/bin/sh' 'case "$*" in *cairo*) echo unknown terminal >&2 && exit 1 ;; esac' \
        "exec $(command -v gnuplot) \"\$@\"" >lacks/gnuplot
    chmod +x lacks/gnuplot
    PATH=$PWD/lacks:$PATH
    fails 1 'plot: *cannot write PNG, it lacks pngcairo (Debian package: gnuplot-nox)*' plot -o a.png curve.tsv
    fails 1 'plot: *cannot write PDF, it lacks pdfcairo (Debian package: gnuplot-nox)*' plot -o a.pdf curve.tsv
    [ ! -e a.png ] && [ ! -e a.pdf ]
    plot -o a.svg curve.tsv
}

@test "-h explains every option" {
    plot -h >text 2>err
    [ ! -s err ]
    head -n 1 text | grep '^usage: plot '
    for letter in l n o h; do grep "^  -$letter " text; done
    grep '^Example:' text
    is "$(awk 'length > 100' text)" ''
}

@test "what cannot be drawn is an error" {
    need_gnuplot
    curve >curve.tsv
    fails 2 'plot: no table named
usage: plot *' plot
    fails 2 "plot: -l needs a whole number of seconds, not '0.5'*" plot -l 0.5 curve.tsv
    fails 2 '*usage: plot *' plot -x curve.tsv
    fails 2 'plot: no option --pictures: did you mean -o picture?*usage: plot *' plot --pictures x curve.tsv
    fails 2 'plot: no option -k*usage: plot *' plot -k curve.tsv
    fails 1 "plot: no column 'ndgc@1' in curve.tsv, and no such file: did you mean ndcg@10?" plot curve.tsv ndgc@1
    fails 1 'plot: cannot read nowhere' plot nowhere
    fails 1 "plot: no column 'map' in curve.tsv, and no such file" plot curve.tsv map
    fails 1 "plot: no column '3' in curve.tsv" plot curve.tsv 3
    small_text >text
    fails 1 'plot: text is not a table of metric: *' plot text
    printf 't\tmap\n1\tnan\n' >empty.tsv
    fails 1 'plot: nothing to draw in empty.tsv' plot empty.tsv
    fails 1 'plot: cannot read nowhere/b.tsv' plot curve.tsv nowhere/b.tsv
    fails 1 'plot: cannot read b.tsv' plot curve.tsv b.tsv ndcg@10
    printf 't\tmap\n1\t0.5\n' >map.tsv
    fails 1 "plot: no column 'ndcg@10' in map.tsv" plot curve.tsv map.tsv
    fails 1 'plot: cannot write nowhere/a.svg' plot -o nowhere/a.svg curve.tsv
}

@test "names that begin with -, and pictures into pipes, devices and folders" {
    need_gnuplot
    curve >./-n.tsv
    plot -- -n.tsv ndcg@10 >drawn
    grep -q 'ndcg@10' drawn
    plot -o -n.svg -- -n.tsv -n.tsv
    grep -q '</svg>' ./-n.svg
    plot -o /dev/stdout ./-n.tsv | grep -q '</svg>'
    mkfifo pipe
    grep -q '</svg>' pipe &
    plot -o pipe ./-n.tsv
    wait $!
    [ -p pipe ]
    cp ./-n.tsv $'two\nlines.tsv'
    fails 1 'plot: a name with a newline *' plot $'two\nlines.tsv'
    fails 1 'plot: a name with a newline *' plot ./-n.tsv $'two\nlines.tsv'
    mkdir folder
    fails 1 'plot: cannot write folder' plot -o folder ./-n.tsv
    is "$(ls folder)" ''
}

@test "odd names, a row that is not whole yet, values that are missing" {
    need_gnuplot
    printf 't\tmap\n1\tnan\n2\t0.5\n5\t0.7\n10\t0.' >"t=1 it's.tsv"
    plot "t=1 it's.tsv" >picture
    grep 'map .*A' picture
    plot -o map.svg "t=1 it's.tsv" 2>err
    is "$(points map.svg)" 2
    [ ! -s err ]
}

@test "live: a table that is not there yet, drawn anew as it grows, until it no longer does" {
    need_gnuplot
    curve >whole
    { sleep 1 && head -n 4 whole >curve.tsv && sleep 2 && tail -n +5 whole >>curve.tsv; } 3>&- &
    plot -l 4 curve.tsv >pictures
    wait
    is "$(grep -c ndcg@10 pictures)" 2
    plot curve.tsv >last
    tail -n 23 pictures | same - last
    fails 1 'plot: nothing to draw in never.tsv' plot -l 1 never.tsv
}

@test "live: several tables, one of which comes later" {
    need_gnuplot
    curve >one.tsv
    { sleep 2 && curve | head -n 4 >new && mv new two.tsv; } 3>&- &
    plot -l 4 -o both.svg one.tsv two.tsv
    wait
    grep '>two<' both.svg
    is "$(points both.svg)" 10
}

@test "live: ^C ends it, and leaves a whole picture and nothing else" {
    need_gnuplot
    curve >curve.tsv
    mkdir out tmp
    TMPDIR=$PWD/tmp timeout -s INT 3 sh "$ROOT/cmd/plot" -l 100 -o out/curve.svg curve.tsv || true
    is "$(ls out)" curve.svg
    grep '</svg>' out/curve.svg
    is "$(ls tmp)" ''
}

@test "a run and its picture beside it" {
    need_gnuplot
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    loop 'replay -n 100000 -s 7 q.bin | score | explore -g 0.1 | metric -t curve.tsv ndcg@10 |
        feedback-mask -k 1 | update -a kl -e 1e-4 -U 2 -m w.bin' &
    plot -l 1 -o curve.svg curve.tsv
    wait
    grep ndcg@10 curve.svg
}

@test "rankpipe(7): its commands for watching a run do what it says" {
    need_gnuplot
    ln -s "$ROOT/examples" examples
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    awk '/^\.S[hs] / { on = /Watching a run/ } /^\.Ed/ { on = 0 } on && block; on && /^\.Bd/ { block = 1 }' \
        "$ROOT/man/rankpipe.7" >commands
    [ "$(grep -c 'rankpipe plot' commands)" = 2 ]
    bash -e -o pipefail commands >out
    grep 'ndcg@10 .*A' out
    grep '</svg>' curve.svg
}

@test "curves with bands: NAME:se is a band in a picture, and held-out:NAME with several numbers a dashed line" {
    command -v gnuplot >/dev/null || skip "gnuplot is missing: it draws the pictures"
    printf 't\tm\tm:se\theld-out:m\theld-out:m:se\n1\t0.1\t0.01\t0.2\t0.02\n10\t0.3\t0.02\tnan\tnan\n100\t0.5\t0.01\t0.4\t0.02\n' >a.tsv
    awk -F '\t' -v OFS='\t' 'NR > 1 && NR < 4 { $4 = $5 = "nan" } 1' a.tsv >point.tsv
    plot -o a.svg a.tsv
    plot -o point.svg point.tsv
    is "$(grep -c 'fill-opacity' a.svg)" 2
    is "$(grep -c 'stroke-dasharray' a.svg)" 2 # the line, and its row of the legend
    is "$(grep -c 'stroke-dasharray' point.svg)" 0
    plot a.tsv >a.txt # one line alone, by its column
    grep -q ' m ' a.txt
    if grep -q ':se' a.txt; then return 1; fi
}
