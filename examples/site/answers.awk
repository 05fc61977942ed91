# answers: makes answers for feedback-join(1) from clicks, one for each request.
#
# A click is the name of the request, its time, the place and how many documents were shown. The
# clicks within `settle` seconds after the first one make the answer. A document that was clicked is
# relevant, 1; one above the lowest click is not, 0; the documents below it were perhaps not read, and
# get no answer. Place 0 says that none of the documents shown is relevant.
#
# The first file has the answers so far. Printed are those to other requests whose `settle` seconds
# are over at `now`.
FILENAME == ARGV[1] { answered[$1]; next }
NF == 4 && $2 ~ /^time=[0-9]+$/ {
    time = substr($2, 6) / 1000
    if (!($1 in first)) {
        first[$1] = time
        request[++requests] = $1
    }
    if (time > first[$1] + settle) next
    if ($3 == 0) none[$1] = $4
    clicked[$1, $3]
    if ($3 > lowest[$1] + 0) lowest[$1] = $3
}
END {
    for (i = 1; i <= requests; i++) {
        r = request[i]
        if (r in answered || int(first[r] + settle) > now) continue
        printf "%s\ttime=%.0f", r, 1000 * (first[r] + settle)
        for (place = 1; place <= (r in none ? none[r] : lowest[r]); place++)
            printf " %d", !(r in none) && ((r, place) in clicked)
        printf "\n"
    }
}
