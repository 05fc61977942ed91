# text: what the awk programs of the site share. They work on bytes (LC_ALL=C). Words are runs of
# letters A to Z, digits and bytes above 127, so UTF-8 passes through whole.

# words(TEXT, LIST): puts the words of TEXT into LIST in lower case; returns their number.
function words(text, list) {
    text = tolower(text)
    gsub(/[^a-z0-9\200-\377]+/, " ", text)
    return split(text, list, " ")
}

# asked(TEXT, LIST): the words of a query: each once, sorted, the first ten of up to 40 bytes.
function asked(text, list, all, had, n, i, j, m) {
    n = words(text, all)
    for (i = 1; i <= n && m < 10; i++) {
        if (length(all[i]) > 40 || all[i] in had) continue
        had[all[i]]
        for (j = m++; j > 0 && list[j] "" > all[i]; j--) list[j + 1] = list[j]
        list[j + 1] = all[i]
    }
    return m + 0
}

# decoded(VALUE): a value of a URL's query string as text, without control characters.
function decoded(value, out, i) {
    gsub(/\+/, " ", value)
    while (match(value, /%[0-9A-Fa-f][0-9A-Fa-f]/)) {
        i = 16 * nibble(substr(value, RSTART + 1, 1)) + nibble(substr(value, RSTART + 2, 1))
        out = out substr(value, 1, RSTART - 1) (i < 32 ? " " : sprintf("%c", i))
        value = substr(value, RSTART + 3)
    }
    out = out value
    gsub(/[\001-\037\177]/, " ", out)
    return out
}

function nibble(digit) {
    return index("0123456789abcdef", tolower(digit)) - 1
}

# encoded(TEXT): TEXT as a value in a URL, or as the name of a document or a query in a round.
function encoded(text, out, c, i) {
    if (!("a" in code)) for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i
    while (match(text, /[^A-Za-z0-9._\/-]/)) {
        c = substr(text, RSTART, 1)
        out = out substr(text, 1, RSTART - 1) sprintf("%%%02X", code[c])
        text = substr(text, RSTART + 1)
    }
    return out text
}

# html(TEXT): TEXT as it appears in a page or in a quoted attribute.
function html(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    gsub(/"/, "\\&quot;", text)
    gsub(/\047/, "\\&#39;", text)
    return text
}
