# page: prints the page of results. Reads the query; what find.awk found; an empty line; and, if the
# service answered, the name of the request and those of the documents, the best one first.

# A piece of the text around the first word of the query in it, as HTML, with the words marked.
function piece(text, low, i, at, from) {
    low = tolower(text)
    for (i = 1; i <= n; i++)
        if ((at = index(low, list[i])) && (!from || at < from)) from = at
    from = from > 80 ? from - 80 : 1
    text = substr(text, from, 240)
    if (from > 1) sub(/^([^ ]* |[\200-\277]+)/, "... ", text)
    if (length(text) >= 240) {
        if (!sub(/ [^ ]*$/, "", text)) sub(/[\300-\377][\200-\277]*$/, "", text)
        text = text " ..."
    }
    return marked(text)
}

function marked(text, out, word) {
    while (match(text, /[A-Za-z0-9\200-\377]+/)) {
        word = substr(text, RSTART, RLENGTH)
        out = out html(substr(text, 1, RSTART - 1)) \
            (tolower(word) in is_asked ? "<mark>" word "</mark>" : word)
        text = substr(text, RSTART + RLENGTH)
    }
    return out html(text)
}

# A result: a link by way of `go`, which stores the click, or straight to the document.
function result(number, place, file, name, path, title, text, link) {
    file = "index/doc/" number
    getline name <file
    getline path <file
    getline title <file
    getline text <file
    close(file)
    link = "show?d=" number
    if (request != "") link = "go?r=" request "&amp;p=" place "&amp;n=" shown "&amp;d=" number
    print "<li><a rel=nofollow href=\"" link "\">" marked(title) "</a>"
    print "<cite>" html(readable(name)) "</cite>"
    print "<p>" piece(text) "</p></li>"
}

function readable(name) {
    name = decoded(name)
    return length(name) > 100 ? "..." substr(name, length(name) - 90) : name
}

function results(i) {
    n = asked(query, list)
    for (i = 1; i <= n; i++) is_asked[list[i]]
    shown = found < 10 ? found : 10
    if (!n) print "<p class=note>Type some words.</p>"
    else if (!found) print "<p class=note>No document has any of these words.</p>"
    else print "<ol>"
    for (i = 1; i <= shown; i++) result(request != "" ? number[ranked[i]] : by_own[i], i)
    if (found) print "</ol>"
    if (request != "")
        print "<p class=note><a rel=nofollow href=\"go?r=" request "&amp;p=0&amp;n=" shown \
            "\">None of these</a></p>"
}

NR == 1 { query = $0; next }
/^$/ { part++; next }
part == 0 {
    by_own[++found] = $1
    number[$NF] = $1
}
part == 1 && request == "" { request = $0; next }
part == 1 { ranked[++answered] = $0 }
END {
    if (answered != found) request = ""
    top(query == "" ? "Search" : query, query)
    results()
    bottom()
}
