# Events of pages: rankpipe service merges what users did on a page into one answer, and says what came too late for that.
# POST /event is in api.bats.
load ../helper
load ../service

setup_file() {
    svm2bin -e "$ROOT/examples/data/small.svm" >"$BATS_FILE_TMPDIR/q.bin"
}

# event ROUND WORDS [AGO [CLIENT]]: the line of an event.
event() {
    printf '%s\ttime=%s%s %s\n' "$1" "$(now "-${3:-50}")" "${4:+ client=$4}" "$2"
}

# seen ROUND: what was learnt of it.
seen() {
    rankpipe service stream | bin2txt -f values | awk -F '\t' -v r="$1" '
        $4 == "request" { own = $5 == r } own && $4 == "seen" { printf "%s%.6g", n++ ? " " : "", $5 }'
}

# named: a round of three documents named a, bä and c, in the order c, a, bä, as request named.
named() {
    mkstream round t=1 qid=n request=named "time=$(now -100)" docs=3 dim=12 name:u1 97 0 98 195 164 0 99 0 base:u4 0 1 2 order:u4 2 0 1 \
        x:f4 $(seq 36)
}

@test "merging: any order of click, back, basket and order, also doubled, gives the value of the strongest" {
    FEATURES=12 learn first
    rankpipe service set events click=.3,basket=.6,order=1
    python3 - "$(now -60)" <<'PY'
import itertools, os
# what a document is worth, for each set of what was done with it, by hand
WORTH = {"c": .3, "a": .6, "o": 1, "b": .2, "ca": .6, "co": 1, "cb": .2, "ao": 1, "ab": .6, "bo": 1, "cao": 1, "cab": .6,
         "cbo": 1, "abo": 1, "cabo": 1}
TYPES = {"c": "click", "a": "basket", "o": "order", "b": "back"}
ways = [way for n in range(1, 5) for way in itertools.permutations("cabo", n)]
with open("answers/a", "w") as lines, open("wanted", "w") as wanted:
    for i, way in enumerate(ways, 1):
        way = [*way, way[0]] if i % 2 else way  # one of them twice
        [worth] = [worth for names, worth in WORTH.items() if set(names) == set(way)]
        for at, name in enumerate(way):  # in the order of time, against it, or at once
            time = int(os.sys.argv[1]) + [at, 9 - at, 0][i % 3]
            lines.write("r%d\ttime=%d event=%s place=2 shown=3\n" % (i, time, TYPES[name]))
        wanted.write("0 %g 0\n" % worth)
PY
    n=$(wc -l <wanted)
    is "$n" 64
    rounds 1 "$n" | of_query 'own\1' | spool log >/dev/null
    learn
    rankpipe service stream | bin2txt -f values | awk -F '\t' '$4 == "request" { r = substr($5, 2) }
        $4 == "seen" { s[r] = s[r] (s[r] == "" ? "" : " ") sprintf("%.6g", $5) } END { for (r = 1; r in s; r++) print s[r] }' >got
    same got wanted
    once
    # a value stays what it was when it was learnt, also if all is learnt anew
    rankpipe service set events click=0,order=.5
    rankpipe service rebuild >said
    is "$(seen r1)" "$(head -1 wanted)"
    # what is read twice, and lines in another order, change nothing
    cp w.bin before && query 'SELECT type, n, late FROM happened WHERE hour = 0' >counted
    tac answers/a >answers/again
    learn
    same before w.bin
    same counted <(query 'SELECT type, n, late FROM happened WHERE hour = 0')
}

@test "merging: places and names, the documents shown, answers by clicks, and who may say it" {
    mkdir answers
    rounds 1 8 | spool log >/dev/null
    named | spool -n named log >/dev/null
    {
        event named 'event=click item=bä' 50 x
        event named 'event=order item=c' 45 x
        event named 'event=click item=a' 44 y   # of another client
        event named 'event=click item=d' 43 x   # no document of the page
        event named 'event=click place=4' 42 x  # nor a place
        event named 'event=basket place=2' 29   # it is late, by a second
        event r1 shown=3
        event r1 'event=click place=2'
        event r2 'event=click place=2'
        event r3 'event=back place=1'
        event r3 'clicks=1 0 0.5 0 1' 49
        event r3 'event=back place=4' 48
        event r4 'event=click place=1 shown=99' # as many as there are
        event r5 '0 2' 49                       # by relevance: it is the answer, whatever else is said
        event r5 'event=click place=1'
    } >answers/a
    FEATURES=12 learn
    is "$(seen named) | $(seen r1) | $(seen r2) | $(seen r3) | $(seen r4) | $(seen r5)" \
        "1 0 1 | 0 1 0 | 0 1 | 0.2 0.5 0 0.2 | 1 $(yes 0 | head -$(($(spooled log | replay -b 4 -n 4 - | values_of order | wc -l) - 1)) | xargs) | 0 2"
    is "$(quarantined 'event of another client') $(quarantined 'event of a document that its round does not have')" '1 2'
    is "$(fact 'late_events_total{type="basket"}') $(fact 'late_events_total{type="click"}')" '1 1'
    is "$(fact 'events_total{type="click"}') $(fact 'events_total{type="back"}')" '8 2'
    rankpipe service stream | bin2txt -f head | grep -c ' request=named .* client=x clicks=1 '
    for wrong in event=look\ place=1 event=click event=click\ item= 'event=click item=a place=1' 'event=click place=0' \
        'event=click place=1 shown=0' 'event=click place=1 place=1' 'event=click place=01' 'shown=1 place=1' shown= event= \
        'event=click place=1 1' 'clicks=1 event=click place=1' "event=click place=$(printf '%0999d' 1)"; do
        event r6 "$wrong"
    done >answers/b
    learn
    is "$(quarantined 'answer malformed') $(learnt)" '14 6'
    once
}

@test "settle: events wait until it is over; with 0 a run merges what it reads; later ones are late, by type" {
    mkdir answers
    rounds 1 4 | spool log >/dev/null
    event r1 'event=click place=1' 15 >answers/a
    FEATURES=12 learn
    is "$(learnt) $(fact settling_answers)" '0 1'
    rankpipe service status | grep '^behind  *0 answers, 0 early ones, 1 that settle$'
    event r1 'event=order place=2' 14 >answers/b # another file
    rankpipe service set settle 10
    learn
    is "$(seen r1) $(fact settling_answers)" '1 1 0'
    for i in 1 2 3; do event r1 "event=order place=$i" 2; done >answers/c
    learn
    is "$(fact 'late_events_total{type="order"}') $(query 'SELECT count(*) FROM quarantine')" '3 0'
    rankpipe service status | grep '^warning  *of 4 orders 3 of a day came more than settle=10 seconds after the first event of their page, and are not learnt: rankpipe service set settle 1800$'
    rankpipe service set settle 1800 # as it says
    event r4 'event=click place=1' 50 >answers/d
    learn
    is "$(learnt)" 1
    rankpipe service set settle 0
    { event r2 'event=click place=1' 90 && event r2 'event=basket place=2' 1; } >>answers/d
    learn
    is "$(learnt) $(seen r2) $(seen r4)" '3 1 1 1'
    event r2 'event=basket place=1' 0 >>answers/d
    learn
    is "$(learnt) $(fact 'late_events_total{type="basket"}')" '3 1'
    once
    fails 1 'service: settle=1900 is above wait=1800, and what comes after that does not count: set wait first' \
        rankpipe service set settle 1900
    fails 1 'service: settle=0 is above*' rankpipe service set settle 0 || rankpipe service set wait 5
    for wrong in click=2 look=1 click click=x click=nan click=-1 ''; do
        fails 1 "service: events: '$wrong' is not TYPE=VALUE, of click, back, basket, order with a value from 0 to 1, *" \
            rankpipe service set events "$wrong"
    done
}

@test "a page without a click is an answer once wait is over, if its client did something that day" {
    mkdir answers
    FEATURES=12 learn first
    rankpipe service set wait 60
    # noon of a day that is over: for pages dated by the day
    noon=$(($(date -u +%s) / 86400 * 86400 - 43200))
    at() { printf '%s\ttime=%d000 client=%s %s\n' "$1" "$((noon + $2))" "$3" "$4"; }
    rounds 1 9 "$(($(date +%s) - noon))" | spool log >/dev/null # at noon
    {
        at r1 0 before shown=3 && at r2 -3600 before 'event=click place=1' # its client came earlier that day
        at r3 1 after shown=4 && at r4 59 after 'event=click place=1'      # within wait
        at r5 0 late shown=3 && at r6 61 late 'event=click place=1'        # after it
        at r7 0 never shown=3                                              # and never
        at r8 0 before shown=99 && at r8 5 before 'event=click place=1 shown=2'
    } >answers/a
    printf 'r9\ttime=%d000 shown=3\n' "$noon" >>answers/a # nobody knows whose
    learn
    is "$(rankpipe service stream | values_of request | xargs)" 'r2 r8 r4 r1 r3'
    is "$(seen r1) | $(seen r3)" '0 0 0 | 0 0 0 0'
    rankpipe service stream | bin2txt -f head | grep -c ' request=r[13] .* client=.* clicks=1 ' | { read -r n && is "$n" 2; }
    is "$(query "SELECT time - (SELECT time FROM rounds WHERE id = round) FROM answers WHERE round = 1")" 60000
    once
    cp w.bin before
    rankpipe service rebuild >said
    same before w.bin
    cp answers/a answers/again
    learn
    same before w.bin
    # one that is not over yet
    rounds 10 11 50 | spool -n new log >/dev/null
    { event r10 'event=click place=1' 49 z && event r11 shown=2 50 z; } >answers/b
    learn
    is "$(learnt) $(fact early_answers) $(fact settling_answers)" '6 0 0'
    # erased with the client's word, and nothing of it is left
    rankpipe service erase clients z before >said
    is "$(rankpipe service stream | values_of request | xargs) $(query "SELECT count(*) FROM events WHERE request = 'r11'")" 'r4 r3 0'
    [ -z "$(grep -l 'client=z\|client=before' answers/*; query 'SELECT word FROM clients' | grep -x 'z\|before')" ]
    rankpipe service check
}

@test "erasing a document takes the events that name it, also where its round is not there" {
    mkdir answers
    named | spool log >/dev/null
    { event named 'event=click item=bä' && event other 'event=click item=bä' && event other 'event=click item=z'; } >answers/a
    FEATURES=12 learn
    is "$(seen named)" '0 0 1'
    rankpipe service erase documents bä
    is "$(query 'SELECT request, item FROM events')" "other|b'z'"
    [ -z "$(grep -r bä . --include='*.db*' --include='a' -l)" ]
    event other 'event=click item=bä' >answers/b # a copy
    learn
    is "$(query 'SELECT request, item FROM events')" "other|b'z'"
}

@test "a run that is killed while it merges and learns is repeated, with the same model and the same counts" {
    local at
    rounds 1 12 | of_query 'own\1' >log.bin
    for i in 1 2 3 4 5 6; do
        event "r$i" 'event=click place=1' 60 x
        event "r$i" "event=basket place=$((i % 3 + 1)) shown=3" 50 x
        event "r$i" 'event=order place=1' 30 x # late
    done >lines
    rankpipe service first
    rankpipe service set features 12 >/dev/null
    spool log <log.bin >/dev/null && cp lines answers/a
    cp -r . ../whole && cd ../whole
    rankpipe service learn
    for ((at = 1; at < 30; at += 4)); do
        rm -rf ../killed && cp -r "$OLDPWD" ../killed
        (
            cd ../killed
            KILL_AT=$at python3 - "$ROOT" <<'PY' || true
import os, runpy, sys
root, at = sys.argv[1], [int(os.environ["KILL_AT"])]
sys.path.insert(0, root + "/lib/python")
from rankpipe_service import events, store
sql = store.Store.__enter__
def dying(function):
    def call(*words):
        at[0] -= 1
        if at[0] == 0:
            os.kill(os.getpid(), 9)
        return function(*words)
    return call
events.mark, events.put, store.Store.__exit__ = map(dying, (events.mark, events.put, store.Store.__exit__))
sys.argv = ["service", "learn"]
runpy.run_path(root + "/cmd/service", run_name="__main__")
PY
            rankpipe service learn
            same w.bin ../whole/w.bin
            same <(query 'SELECT type, n, late FROM happened WHERE hour = 0') <(cd ../whole && query 'SELECT type, n, late FROM happened WHERE hour = 0')
        )
    done
    is "$(query "SELECT type, n, late FROM happened WHERE hour = 0")" 'basket|6|0
click|6|0
order|6|6'
}
