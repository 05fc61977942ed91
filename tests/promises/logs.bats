# rankpipe-logs(7): its commands, as they stand there, make of the logs of other systems what log2bin
# reads, and of a log and features a ranker that is better on queries that it never saw.
load ../helper

NEEDS=python3

# The commands of the page's examples: all that is literal there.
commands() {
    sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$ROOT/man/rankpipe-logs.7" |
        awk '/^\.Bd/ { on = 1; next } /^\.Ed/ { on = 0 } on { sub(/^\$ /, ""); gsub(/\\e/, "\\"); print }'
}

# run_commands: all of them, in a folder of their own; the same for both tests.
run_commands() {
    ln -s "$ROOT/examples" examples
    commands >commands
    timeout 120 bash -e -o pipefail commands >out 2>err </dev/null || { cat err && return 1; }
    # what the page's programs say: judge of both logs, log2bin of clicks that are in no list, and what log wrote
    is "$(sed 's/[:;] .*//; s/ [0-9].*//' err | sort | uniq -c | tr -s ' ')" ' 5 judge
 6 log
 1 log2bin'
}

# log NAME: a log as words, a line for each row.
log() {
    tr '\t' ' ' <"$1.tsv"
}

@test "the walk leads to a ranker that beats the old one on queries it never saw; recipes read what others log" {
    run_commands
    # the rows of old, new and that of clicks alone, then those of bin2txt
    read -r _ old <<<"$(sed -n 1p out)"
    read -r _ new <<<"$(sed -n 2p out)"
    read -r _ clicks <<<"$(sed -n 3p out)"
    echo "old $old, new $new, by clicks alone $clicks"
    awk -v old="$old" -v new="$new" -v clicks="$clicks" 'BEGIN {
        exit !(old > 0.5 && new > old + 0.05 && clicks > new - 0.01) }'
    is "$(log ubi)" 'request qid doc position click time client
1 red%20tv tv-17 1 0 - -
1 red%20tv tv-3 2 1 - -'
    is "$(log metarank)" 'request qid doc position click time client
1 jedi m1 1 0 1599391467000 -
1 jedi m2 2 1 1599391467000 -'
    is "$(log bandit)" 'request qid doc position click propensity
1 slot3 14 1 1 0.0125'
    is "$(log baidu)" 'request qid doc position click
1 7 aa 1 1
1 7 bb 2 0'
    is "$(log access)" 'request qid doc position click time client
8 red%20tv tv-17 1 0 1791640536000 192.0.2.1
8 red%20tv tv-3 2 1 1791640536000 192.0.2.1'
    is "$(log table)" 'request qid doc position click time client
8 red%20tv tv-17 1 0 1795564800000 -
8 red%20tv tv-3 2 1 1795564800000 -'
    is "$(log lightgbm)" 'request qid doc position click
1 1 d1 1 0
1 1 d2 2 1
2 2 d3 1 1'
    is "$(cat a.candidates)" '0 qid:1 1:0.5 # d1
0 qid:1 1:0.2 # d2
0 qid:2 1:0.9 # d3'
    is "$(log run)" 'request qid doc position click score
5 5 d8 1 0 2.5
5 5 d2 2 1 1.5'
    is "$(tail -n +5 out | wc -l)" 16
    # propensities: of each query they sum to what its users examine of its lists in the mean
    awk -F '\t' '
        FILENAME == "theta.tsv" { theta[$1] = $2; next }
        FNR > 1 { all += theta[$4] / $6; rounds += $4 == 1; docs[$2, $3] = 1; of[$2] += $4 == 1 }
        END { for (pair in docs) { split(pair, w, SUBSEP); want += of[w[1]] }
            d = all / want - 1; exit !(rounds == 8000 && d * d < 1e-4) }' theta.tsv with.tsv
    # the estimate for the new ranker, and its interval
    awk -F '\t' 'NR == 4 { exit !($2 > 0 && $4 < $2 && $2 < $5 && $7 < 0.5) }' out
}

@test "the page's commands write the same numbers where a comma is decimal" {
    slow
    alike run_commands
}
