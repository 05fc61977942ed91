#!/bin/sh
# rank.cgi: the ranking service over HTTP, for a web server that runs CGI programs.
#
#     POST /rank           documents, as ask reads them; the reply is what ask prints, as lines
#     POST /answer?NAME    relevances of the documents shown, from the first one on; no reply
#
# NAME is the name of the request, which is the first line of the reply. RANK_SOCKET is the socket of
# the service, and RANK_ANSWERS the folder of answers.
set -eu
here=$(dirname "$0")
most=2097152 # bytes, as serve -m

reply() { # status, text
    printf 'Status: %s\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\n\r\n%s' "$1" "$2"
    exit 0
}

[ "${REQUEST_METHOD-}" = POST ] || reply '405 Method Not Allowed' 'use POST
'
case ${CONTENT_LENGTH-} in
'' | *[!0-9]* | ????????*) reply '413 Content Too Large' 'no length, or too many bytes
' ;;
esac
[ "$CONTENT_LENGTH" -le $most ] || reply '413 Content Too Large' "more than $most bytes
"

case ${SCRIPT_NAME-} in
*/rank)
    said=$(head -c "$CONTENT_LENGTH" | sh "$here/ask" "$RANK_SOCKET" 2>&1) && reply '200 OK' "$said
"
    case $said in
    ask:*) reply '400 Bad Request' "$said
" ;;
    esac
    printf '%s\n' "$said" >&2 # into the log of the web server
    reply '503 Service Unavailable' 'the service does not answer
'
    ;;
*/answer)
    # shellcheck disable=SC2046
    said=$(set -f && sh "$here/answer" "$RANK_ANSWERS/$(date +%F)" "${QUERY_STRING-}" \
        $(head -c "$CONTENT_LENGTH") 2>&1) && reply '204 No Content' ''
    reply '400 Bad Request' "$said
"
    ;;
*) reply '404 Not Found' 'use /rank or /answer
' ;;
esac
