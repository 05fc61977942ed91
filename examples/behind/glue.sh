# The glue in shell, with curl and jq: the engine's rows, best first, become the order to show; what visitors do goes back.
# SPDX-License-Identifier: ISC
api=${API:-http://127.0.0.1:8080} said=${TMPDIR:-/tmp}/rankpipe-glue-$(id -u)

fails() { # KIND TEXT: says it on standard error, each kind once a minute, by files in a folder of this account
    mkdir -m 700 "$said" 2>/dev/null || [ -O "$said" ] && [ ! -L "$said" ] || said=
    [ -z "$said" ] || [ -z "$(find "$said/$1" -mmin -1 2>/dev/null)" ] || return 0
    printf 'rankpipe: %s\n' "$2" >&2 && [ -z "$said" ] || : >"$said/$1"
}
ask() { # PATH < body: the reply
    reply=$(curl -s -m 0.5 -w '%{http_code}' -H 'Content-Type: application/json' --data-binary @- "$api/$1")
    failed=$? text=$(printf %s "${reply%???}") status=${reply#"${reply%???}"}
    case $failed$status in 020?) printf %s "$text" ;; *) fails "$1-$failed-$status" "$api/$1: curl's status $failed, HTTP's $status $text" ;; esac
}
ranked() { # QUERY [CLIENT [SHOWN]] < rows, a JSON list of {id, features}: {request, rows}; the engine's own order where that fails
    rows=$(cat)
    found=$(printf '%s' "$rows" | jq -c --arg query "$1" --arg client "${2-}" --argjson shown "${3:-10}" '{$query, shown: ([$shown, length] | min),
        documents: map({name: "\(.id)", features})} + if $client == "" then {} else {$client} end' | ask rank)
    printf '%s' "$rows" | jq --argjson found "${found:-null}" '(map({key: "\(.id)", value: .}) | from_entries) as $by |
        {request: $found.request, rows: (if $found then $found.ranking | map($by[.]) else . end)}'
}
event() { # REQUEST ITEM [CLIENT [TYPE]]: a click, or basket, order, back
    jq -n --arg request "$1" --arg item "$2" --arg client "${3-}" --arg type "${4:-click}" '{$request, $item, $type} + if $client == "" then {} else {$client} end' | ask event
}
