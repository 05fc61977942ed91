# Many rounds take no more memory than a thousand, and are counted right: make soak in small.
load ../helper

@test "memory stays as it is after the first thousand rounds, and the counts are exact" {
    [ -r /proc/self/smaps_rollup ] || skip "no /proc/self/smaps_rollup here"
    ! nm "$ROOT/bin/rankpipe" | grep -q __asan_init || skip "AddressSanitizer keeps what was freed"
    LOOP=300000 RING=30000 bash "$ROOT/tests/promises/soak" >out || { cat out && return 1; }
    [ "$(grep -c ' flat$' out)" = 7 ]
}
