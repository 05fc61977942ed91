# Known-item searches: what users of a search page see while memory learns from their clicks.
load ../helper

NEEDS=python3

@test "begun with the engine's order, the first searches are as good as the engine's, and later ones better" {
    python3 "$ROOT/examples/known-item" --queries 30 --searches 500 --seeds 1-2 engine nothing bound >table
    cat table
    is "$(cut -c 1-9 table | xargs)" 'start engine nothing bound'
    awk '{ first[$1] = $2; last[$1] = $3 }
        END { exit !(first["bound"] >= first["engine"] && first["nothing"] < first["engine"] - .03 &&
                     last["bound"] > last["engine"] + .2 && last["nothing"] > last["engine"] + .2) }' table
}

@test "known-item: the wanted document changes, and told users are told; wrong words give no table" {
    python3 "$ROOT/examples/known-item" --queries 10 --searches 200 --change 100 --seeds 3 --explore '-p uniform' told >table
    cat table
    awk 'NR == 2 { exit !($1 == "told" && $3 < $2) }' table
    fails 2 "*known-item: error: no start 'x': they are engine, nothing, *" python3 "$ROOT/examples/known-item" x
    fails 2 '*: not a multiple of 25: 30' python3 "$ROOT/examples/known-item" --searches 30
}
