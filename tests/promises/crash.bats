# A log and what learns from it are killed, or their disk is full, and nothing is lost: tests/promises/crash says
# what is looked at, and with more moments than these it is run by hand.
load ../helper

@test "kill -9 and full disks: no round passed on is missing from the log, and the model is that of one run" {
    not_sanitized "they look for leaks at their end, and are not gone at once"
    bash "$ROOT/tests/promises/crash" 12 1
}
