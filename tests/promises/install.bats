# make install: everything where a package wants it, under the names it wants.
load ../helper

MAKE="make -C $BATS_TEST_DIRNAME/../.."
GENERAL="score judge compare update explore replay loop metric features synth spool salvage serve"
SCRIPTS="train sweep plot live export import log service api up site doctor demo add-tables"
DISTINCTIVE="svm2bin log2bin weights2bin bin2txt feedback-mask feedback-join add-models"

# installed SETTING...: below ./stage, as in /usr.
installed() {
    $MAKE -s install DESTDIR="$PWD/stage" PREFIX=/usr "$@"
}

# names FOLDER: what is in it, in a line.
names() {
    (cd "$1" && printf '%s\n' * | LC_ALL=C sort | paste -sd ' ')
}

# sorted PREFIX NAME...: the names with the prefix, in such a line.
sorted() {
    printf "$1%s\n" "${@:2}" | LC_ALL=C sort | paste -sd ' '
}

# examples_of FILE: the commands in a page's EXAMPLES.
examples_of() {
    mandoc -Tascii -O width=400 "$1" | awk '
        { gsub(/.\010/, "") }
        /^[A-Z]/ { on = $0 == "EXAMPLES"; next }
        on && (more || /^ *\$ /) { more = / \|$|\\$/; sub(/^ *(\$ )?/, ""); print }'
}

# alone COMMAND...: with nothing of this tree on the PATH, and ./here/bin in front.
alone() {
    env -i RANKPIPE_ROOT=yes PATH="$PWD/here/bin:/usr/local/bin:/usr/bin:/bin" TMPDIR="${TMPDIR:-/tmp}" "$@"
}

@test "make install honours DESTDIR and PREFIX: programs and pages" {
    installed
    for program in rankpipe $PROGRAMS; do
        [ -x "stage/usr/bin/$program" ]
        [ -f "stage/usr/share/man/man1/$program.1" ]
    done
    for page in "$ROOT"/man/*.[57]; do
        [ -f "stage/usr/share/man/man${page##*.}/$(basename "$page")" ]
    done
    small_text | svm2bin >here
    small_text | stage/usr/bin/svm2bin >there
    same here there
    [ ! -e stage/usr/libexec ]
    is "$(stage/usr/bin/rankpipe --path)" "$PWD/stage/usr/bin"
    [ -z "$(grep -rl "$PWD" stage)" ]
}

@test "what is installed to be copied and changed says whose it is" {
    installed
    run grep -rL 'SPDX-License-Identifier: ISC' stage/usr/share/rankpipe
    is "$output" stage/usr/share/rankpipe/data/small.svm
    is "$(cd stage/usr/share/doc/rankpipe && find . -type f | LC_ALL=C sort | paste -sd ' ')" \
        "./NEWS ./README.md $(printf './examples/%s ' api/README.md behind/README.md clicks.svg engines/README.md engines/elasticsearch.md \
            engines/solr.md engines/vespa.md firstday.svg mq2008.svg serve/README.md site.png)./examples/slurm/README.md ./examples/warehouse/README.md"
}

@test "no page names a file that is not installed, or a target of make that only the source has" {
    installed GENERAL=libexec
    share=stage/usr/share
    cat $share/man/man*/* >pages
    grep -oE '/usr/share/rankpipe/?[A-Za-z0-9_./-]*' pages | sed 's/[.,]$//' | sort -u >names
    [ "$(wc -l <names)" -ge 10 ]
    while read -r name; do [ -e "stage$name" ] || { echo "no $name" && return 1; }; done <names
    run grep -nE 'examples/|HACKING' pages
    is "$output" ''
    # make is called on the service's rules, on what the user wrote, or not at all.
    sed -n 's/^## \([a-z-]*\): .*/\1/p' "$ROOT/Makefile" >targets
    run grep -nE "(Ql|Cm|Dl) (.*[^a-z])?make ($(paste -sd '|' targets))( |$)" pages
    is "$output" ''
}

@test "an installation can be moved: links are to names, not to places" {
    for general in bin libexec; do
        installed GENERAL=$general
        mv stage/usr elsewhere
        is "$(elsewhere/bin/svm2bin -V)" "$(svm2bin -V)"
        folder=$(elsewhere/bin/rankpipe --path)
        [[ $folder == "$PWD/elsewhere/"* ]]
        for program in rankpipe $PROGRAMS; do
            is "$(alone PATH="$folder" "$program" -V)" "$("$program" -V)"
        done
        is "$(elsewhere/bin/rankpipe plot -h)" "$(sh "$ROOT/cmd/plot" -h)"
        rm -r elsewhere
    done
}

@test "rankpipe --path is the folder of the programs, however it is called" {
    is "$(rankpipe --path)" "$ROOT/bin"
    is "$(cd "$ROOT" && bin/rankpipe --path)" "$ROOT/bin"
    ln -s "$ROOT/bin/rankpipe" other
    is "$(./other --path)" "$ROOT/bin"
    fails 1 'rankpipe: cannot write <stdout>: *' sh -c 'rankpipe --path >/dev/full'
    fails 2 "rankpipe: no program 'nobody'*score*scripts:*add-tables*" rankpipe nobody
}

@test "GENERAL=libexec: the PATH has distinctive names alone, and --path all" {
    installed GENERAL=libexec
    is "$(names stage/usr/bin)" "$(sorted '' rankpipe $DISTINCTIVE)"
    is "$(stage/usr/bin/rankpipe --path)" "$PWD/stage/usr/libexec/rankpipe"
    is "$(names stage/usr/libexec/rankpipe)" "$(sorted '' rankpipe $PROGRAMS)"
    is "$(names stage/usr/share/bash-completion/completions)" "$(sorted '' rankpipe $DISTINCTIVE)"
    is "$(head -n 1 stage/usr/share/zsh/site-functions/_rankpipe | tr ' ' '\n' | sed 1d |
        LC_ALL=C sort | paste -sd ' ')" "$(sorted '' rankpipe $DISTINCTIVE)"
    is "$(names stage/usr/share/man/man1)" \
        "$(for page in rankpipe $DISTINCTIVE $(printf 'rankpipe-%s ' $GENERAL $SCRIPTS); do echo "$page.1"; done |
            LC_ALL=C sort | paste -sd ' ')"
    for program in $GENERAL; do is "$(stage/usr/bin/rankpipe "$program" -h)" "$("$program" -h)"; done
    fails 2 'GENERAL=lib: bin, or libexec*' $MAKE -s install DESTDIR="$PWD/no" GENERAL=lib
    [ ! -e no ]
}

@test "GENERAL=libexec: pages bear the names they are found by, and their examples run" {
    command -v mandoc || skip "no mandoc here"
    installed PREFIX="$PWD/here" DESTDIR= GENERAL=libexec
    run mandoc -Tlint -W warning here/share/man/man*/*
    is "$output" ''
    page=here/share/man/man1/rankpipe-score.1
    grep -x '\.Dt RANKPIPE-SCORE 1' $page
    grep -x '\.Nm rankpipe-score' $page
    grep '^\.Xr rankpipe-explore 1' $page
    mandoc -Tascii $page | awk '{ gsub(/.\010/, "") } /^ *rankpipe score \[/ { found = 1 } END { exit !found }'
    [ -z "$(grep -lE "Xr ($(echo $GENERAL | tr ' ' '|')) 1" here/share/man/man*/*)" ]
    [ -z "$(grep -l 'examples/data\|examples/serve/\|top folder' here/share/man/man*/*)" ]
    for name in rankpipe-score.1 rankpipe-loop.1 svm2bin.1 rankpipe-operating.7; do
        [ "$name" != rankpipe-operating.7 ] || { command -v rsync && command -v curl; } || skip "no rsync or no curl here, for $name"
        mkdir "$name"
        examples_of "here/share/man/man${name##*.}/$name" >commands
        is "$(head -n 1 commands)" 'PATH=$(rankpipe --path):$PATH'
        [ "$(wc -l <commands)" -ge 4 ]
        alone bash -e -o pipefail -c 'trap "kill \$(jobs -p) 2>/dev/null || :" EXIT; cd "$1" && . ../commands' \
            bash "$name" >out 2>err || { echo "$name" && tail -n 5 out err && return 1; }
        is "$(grep -v '^update: resuming from round 240 of w.bin$' err)" ''
    done
}

@test "PROGPREFIX goes before every name, and the programs still know who they are" {
    installed PROGPREFIX=rp-
    is "$(names stage/usr/bin)" "$(sorted rp- rankpipe $PROGRAMS)"
    [ -f stage/usr/share/man/man1/rp-feedback-mask.1 ]
    [ -f stage/usr/share/man/man5/rp-rankpipe.5 ]
    grep -x '\.Nm rp-rankpipe-train' stage/usr/share/man/man1/rp-rankpipe-train.1
    grep -x '\.Nm rp-rankpipe train' stage/usr/share/man/man1/rp-rankpipe-train.1
    is "$(stage/usr/bin/rp-feedback-mask -h)" "$(feedback-mask -h)"
    stage/usr/bin/rp-rankpipe | grep 'feedback-mask'
    is "$(stage/usr/bin/rp-rankpipe --path)" "$PWD/stage/usr/libexec/rp-rankpipe"
    is "$(names stage/usr/libexec/rp-rankpipe)" "$(sorted '' rankpipe $PROGRAMS)"
}

@test "PROGPREFIX goes before the names in the pages, and their examples run" {
    command -v mandoc || skip "no mandoc here"
    installed PREFIX="$PWD/here" DESTDIR= PROGPREFIX=rp-
    run mandoc -Tlint -W warning here/share/man/man*/*
    is "$output" ''
    page=here/share/man/man1/rp-score.1
    grep -x '\.Dt RP-SCORE 1' $page
    grep -x '\.Nm rp-score' $page
    grep '^\.Xr rp-explore 1' $page
    grep '^\.Xr rp-rankpipe 5' $page
    grep '^\.Xr mkfifo 1' $page
    [ -z "$(grep -lE "Xr ($(echo rankpipe $PROGRAMS | tr ' ' '|')) [1-9]" here/share/man/man*/*)" ]
    run grep -rhoE "Ql ($(echo rankpipe $PROGRAMS | tr ' ' '|'))( .*)?$" here/share/man
    is "$output" ''
    for name in score loop synth rankpipe; do
        mkdir "$name"
        examples_of "here/share/man/man1/rp-$name.1" >commands
        [ "$(wc -l <commands)" -ge 3 ]
        alone bash -e -o pipefail -c 'trap "kill \$(jobs -p) 2>/dev/null || :" EXIT; cd "$1" && . ../commands' \
            bash "$name" >out 2>err || { echo "$name" && tail -n 5 out err && return 1; }
        is "$(grep -v '^update: resuming from round 240 of w.bin$' err)" ''
    done
    installed PROGPREFIX=rp- GENERAL=libexec
    page=stage/usr/share/man/man1/rp-rankpipe-score.1
    grep -x '\.Nm rp-rankpipe-score' $page
    grep -x '\.Nm "rp-rankpipe score"' $page
    grep -Fx '.Dl $ PATH=$(rp-rankpipe --path):$PATH' $page
}

@test "scripts run from installed files, and find the programs" {
    for settings in GENERAL=libexec PROGPREFIX=rp-; do
        rm -rf here session pages table
        installed PREFIX="$PWD/here" DESTDIR= $settings
        rankpipe=here/bin/rankpipe
        [ -x $rankpipe ] || rankpipe=here/bin/rp-rankpipe
        svm2bin "$ROOT/examples/data/small.svm" | replay -n 100 - | explore -g 1 | metric -r ndcg@10 >table
        is "$(alone $rankpipe add-tables -v last=100 table)" \
            "$(sh "$ROOT/cmd/add-tables" -v last=100 table)"
        mkdir -p pages/man1
        cp "$ROOT"/man/score.1 "$ROOT"/man/explore.1 pages/man1
        printf 'score\n1\n' | alone $rankpipe live session pages >said
        grep 'score(1)' said
        bin2txt -f head session/w.bin | grep 'learner=solar1 rounds=2 '
        fails 1 '*plot: cannot read nowhere.tsv*' alone $rankpipe plot nowhere.tsv ||
            fails 1 'plot: no gnuplot here*' alone $rankpipe plot nowhere.tsv
        fails 2 'usage: sweep folder *' alone $rankpipe sweep
    done
}

@test "a sweep runs from installed files" {
    command -v parallel || skip "no GNU parallel here"
    installed PREFIX="$PWD/here" DESTDIR= GENERAL=libexec
    small_text | svm2bin >q.bin
    for rankpipe in "$ROOT/bin/rankpipe" here/bin/rankpipe; do
        rm -rf out
        HOME=$PWD alone $rankpipe sweep out q.bin learner=kl eta='1e-3 1e-2' seed=1 rounds=50 -j 1
        is "$(wc -l <out/sweep.tsv)" 3
        cp out/sweep.tsv "$(echo $rankpipe | tr -d /).tsv"
    done
    same here*.tsv "$(echo "$ROOT/bin/rankpipe" | tr -d /).tsv"
    [ ! -x /usr/bin/gnuplot ] || grep '</svg>' out/sweep.svg
}

@test "a script takes signals as its caller left them, and a missing one is reported" {
    mkdir -p moved/bin moved/share/moved
    cp "$ROOT/bin/rankpipe" moved/bin/moved
    fails 1 'rankpipe: cannot run the script plot: it is not installed beside this program' moved/bin/moved plot
    printf '#!/bin/sh\nyes; echo "$?" >status\n' >moved/share/moved/plot
    chmod +x moved/share/moved/plot
    moved/bin/moved plot | head -n 1
    for _ in $(seq 50); do [ ! -s status ] || break; sleep 0.1; done
    is "$(cat status)" 141
}

@test "make uninstall removes what make install installed" {
    for settings in GENERAL=bin 'PROGPREFIX=rp- GENERAL=libexec'; do
        installed $settings
        mkdir -p stage/usr/share/rankpipe
        touch stage/usr/bin/mine stage/usr/share/rankpipe/mine
        $MAKE -s uninstall DESTDIR="$PWD/stage" PREFIX=/usr $settings 2>/dev/null
        is "$(find stage ! -type d | LC_ALL=C sort | paste -sd ' ')" \
            'stage/usr/bin/mine stage/usr/share/rankpipe/mine'
        is "$(find stage -type d -path '*rankpipe*')" stage/usr/share/rankpipe
        rm -r stage
    done
}

@test "a second install goes over the first" {
    installed
    installed
    is "$(stage/usr/bin/rankpipe -V)" "$(rankpipe -V)"
}

@test "the service runs from installed files, which call the programs by their names" {
    command -v python3 || skip "no python3 here"
    for settings in GENERAL=bin GENERAL=libexec PROGPREFIX=rp-; do
        rm -rf here folder api.said
        installed PREFIX="$PWD/here" DESTDIR= $settings
        own=rankpipe
        [ $settings != PROGPREFIX=rp- ] || own=rp-rankpipe
        served=$PWD/here/share/$own/serve
        # Every file that the units and the README name is there.
        grep -ohE "(/usr|$PWD)/[a-zA-Z0-9/_-]*rankpipe([a-zA-Z0-9/_.-]*[a-zA-Z0-9])?" "$served"/*.service "$PWD"/here/share/doc/*/examples/*/README.md "${served%/*}"/api/* >names
        [ -s names ]
        while read -r name; do [ -e "$name" ] || { echo "no $name" && return 1; }; done <names
        mkdir -p folder/answers
        alone make -s -C folder -f "$served/Makefile" first
        alone sh -c "cd folder && $own service set features 2"
        (path=$PWD/here/bin:/usr/bin:/bin && cd folder && exec env -i RANKPIPE_ROOT=yes PATH="$path" $own serve -e s \
            'score -r -m w.bin | explore | spool log') 3>&- &
        service=$!
        for _ in $(seq 250); do [ ! -S folder/s ] || break; sleep 0.02; done
        (exec env -i RANKPIPE_ROOT=yes PATH="$PWD/here/bin:/usr/bin:/bin" $own api -l folder/api \
            folder/s folder/answers) 2>api.said 3>&- &
        api=$!
        until grep listening api.said; do kill -0 $api && sleep 0.02; done
        alone PYTHONPATH="${served%/*}" python3 -B - <<'END'
import http.client, json, socket
import rankpipe

def post(path, **fields):
    connection = http.client.HTTPConnection("api")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect("folder/api")
    connection.request("POST", path, json.dumps(fields), {"Content-Type": "application/json"})
    return connection.getresponse().read()

ranking = json.loads(post("/rank", query="q1", lines=["1:0.5 # a", "2:0.5 # b"]))
assert sorted(ranking["ranking"]) == ["a", "b"]
assert post("/answer", request=ranking["request"], labels=[0, 1]) == b""
shown = rankpipe.run("score -m folder/w.bin | explore", [rankpipe.Round.make([[1, 0], [0, 1]], ordered=True)])
assert sorted(shown[0]["order"]) == [0, 1]
END
        kill $api && wait $api
        # The name of 0.4.0 runs the same.
        alone python3 -B "${served%/*}/api/api.py" -h >said 2>api.said
        is "$(cat said)" "$(alone "$own" api -h)"
        is "$(cat api.said)" "api.py: run $own api, with the same words; api.py goes with the next release"
        kill $service && wait $service
        sleep 1 # an answer of this second is left to a later run
        alone make -s -C folder -f "$served/Makefile" DELAY=0 learn 2>said
        cat said
        [ "$(bin2txt -f head folder/w.bin | grep -o ' rounds=1 ')" ]
    done
}
