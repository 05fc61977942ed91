# The first day: begun with the engine's order, lists are never much worse than the engine's.
load ../helper

@test "begun with the engine's order and bound, the first hundred lists are as good as the engine's" {
    need_data MQ2008
    for i in 1 2; do awk '{ sub(/\r$/, "") } $2 != q { q = $2; n++ } n <= 60' "$DATA/MQ2008/S$i.txt"; done >users
    sh "$ROOT/examples/firstday" "$DATA/MQ2008/S5.txt" users 2 300 2 $(! command -v gnuplot >/dev/null || echo picture.svg) >table
    cat table
    for name in 'users click' 'weights of 0' 'with the bound' 'the engine itself'; do
        [ ! -x "$(command -v gnuplot)" ] || grep -F ">$name<" picture.svg
    done
    [ "$(wc -l <table)" = 13 ]
    awk 'NR > 1 && $2 == "bound" && ($3 < -.03 || $7 > .15 || $8 < -10) { print; exit 1 }
        NR > 1 && $2 == "nothing" { sum += $3; bad += $7 } END { exit !(sum / 4 < -.04 && bad / 4 > .15) }' table
}

@test "wrong words give no table" {
    fails 2 'firstday: an engine and a file are needed; usage: *' sh "$ROOT/examples/firstday" one
    fails 2 "firstday: '0' is not a whole number from 1; usage: *" sh "$ROOT/examples/firstday" a b 0
}
