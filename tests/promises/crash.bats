# A log and what learns from it are killed, or their disk is full, and nothing is lost: tests/promises/crash and
# crash-service say what is looked at. `make crash` runs a service through more moments than these.
load ../helper

@test "kill -9 and full disks: no round passed on is missing from the log, and the model is that of one run" {
    not_sanitized "they look for leaks at their end, and are not gone at once"
    bash "$ROOT/tests/promises/crash" 12 1
}

@test "a whole service is killed part by part, and its disk is full: no answered round is lost or there twice" {
    not_sanitized "they look for leaks at their end, and are not gone at once"
    run nice bash "$ROOT/tests/promises/crash-service" 5 1
    echo "$output"
    [ "$status" = 0 ]
}

@test "the same where a full disk is one whose files may not grow" {
    in_release
    not_sanitized "they look for leaks at their end, and are not gone at once"
    CRASH_OWN_DISK=no bash "$ROOT/tests/promises/crash-service" 5 3
}
