# The glue in shell, with curl and jq: the engine's rows, best first, become the order to show; clicks go back.
# SPDX-License-Identifier: ISC
api=${API:-http://127.0.0.1:8080}

ask() { curl -sf -m 0.5 -H 'Content-Type: application/json' -d @- "$api$1"; }
ranked() { # QUERY < rows, a JSON list of {id, features}: {request, rows}; the engine's own order if nobody answers
    rows=$(cat)
    found=$(jq --arg query "$1" '{$query, documents: map({name: (.id | tostring), features})}' <<ROWS | ask /rank || echo '{}'
$rows
ROWS
)
    jq --argjson found "$found" '{request: $found.request, rows: (. as $rows | if $found.ranking then $found.ranking | map(. as $name | $rows[] | select("\(.id)" == $name)) else $rows end)}' <<ROWS
$rows
ROWS
}
clicked() { jq -n --arg request "$1" --argjson clicks "$2" --argjson shown "$3" '{$request, $clicks, $shown}' | ask /answer; }
