# examples/compact, on one collection and few rounds: the table of svm2bin(1) in small.
# not tested: 20,000 rounds and ten seeds on three collections, which take half an hour.
load ../helper

@test "16 bits cost next to nothing, 8 bits little" {
    need_data lambdarank
    mkdir folder
    fails 1 'compact: folder: it has none of MQ2008, MSLR and lambdarank' sh "$ROOT/examples/compact" folder
    ln -s "$DATA/lambdarank" folder
    sh "$ROOT/examples/compact" folder 1000 2 >table
    cat table
    [ "$(wc -l <table)" = 9 ]
    # NDCG, lost by 16 bits and by 8: of the lists shown, and held out. memory shows another document
    # where the last bit of a feature decides, and learns from that: its models differ as between seeds.
    awk 'NR > 1 { n++; s += $8; h += $15
            if ($4 < 0.55 || $11 < 0.55 || $5 > 0.002 || $12 > 0.002 + ($3 == "memory" ? 2 * $14 : 0)) exit 1 }
        END { exit !(n == 8 && s / n < 0.005 && h / n < 0.005) }' table
}
