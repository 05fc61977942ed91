# read: reads documents as `index` prints them, and writes doc/N and facts into the folder `out`. Prints
# a line for each word of a document: the word, and number:in the name:in the title:in the text:length.

function begin(line) {
    number = substr(line, 2, index(line, "\t") - 2)
    file = substr(line, index(line, "\t") + 1)
    base = file
    sub(/.*\//, "", base); sub(/\.gz$/, "", base)
    title = text = heading = ""
    roff = base ~ /\.[1-9][a-z]*$/
    lines = bytes = 0
}

# A line of a manual page without its macros.
function plain(line) {
    if (line ~ /^[.\047]\\"/) return ""
    if (line ~ /^\.S[Hh]/) { heading = toupper(line); return "" }
    if (line ~ /^\.(TH|Dd|Dt|Os|if|ie|el|de|ds|nr|so|ft|ad|nh|hy|in|ti|sp|PD|RS|RE|nf|fi)/)
        return ""
    if (sub(/^[.\047][A-Za-z]+ */, "", line))
        gsub(/(^| )((Fl|Ar|Op|Cm|Pa|Nm|Xr|Li|Ql|Ns|No|Ev|Dq|Sq|Em|Sy|Pq|Oo|Oc|It) )+/, " ", line)
    gsub(/\\f(\[[A-Z]*\]|\(..|.)|\\[&|^%\/]|\\s[-+]?[0-9]+/, "", line)
    gsub(/\\-/, "-", line)
    gsub(/\\\*?\([aA]q|\\\[aq\]/, "\047", line)
    gsub(/\\e/, "\\", line)
    gsub(/\\\((..)|\\\[[^]]*\]|\\"/, " ", line)
    return line
}

# The title of a manual page: its name, section and purpose.
function purpose(line, section) {
    if (heading !~ /NAME/ || title != "") return
    if (sub(/^\.Nd */, "", line)) line = "- " line
    line = plain(line)
    if (!match(line, /(^| )-+ /)) return
    title = base
    section = base
    sub(/\.[1-9][a-z]*$/, "", title)
    sub(/.*\./, "", section)
    title = title "(" section ") - " substr(line, RSTART + RLENGTH)
}

# The title of another text: its first line with a word.
function first(line) {
    sub(/^[^A-Za-z0-9\200-\377]+/, "", line)
    sub(/[ =*#-]+$/, "", line)
    title = substr(line, 1, 100)
    if (length(line) > 100) sub(/[^ ]*$/, "...", title)
}

function add(line) {
    gsub(/[\001-\037\177 ]+/, " ", line)
    if (roff) {
        purpose(line)
        line = plain(line)
        if (heading ~ /NAME|SYNOPSIS/) return # the title says it, and the text explains it
        gsub(/  +/, " ", line)
    } else if (title == "") first(line)
    sub(/^ /, "", line)
    if (line == "") return
    bytes += length(line)
    if (bytes < 200000) text = text " " line
}

function count(string, into, list, n, i) {
    n = words(string, list)
    for (i = 1; i <= n; i++) if (length(list[i]) <= 40) { into[list[i]]++; all[list[i]] }
    return n
}

function finish(length_, word, path) {
    if (number == "" || text !~ /[A-Za-z0-9\200-\377]/) return
    if (roff && title == "") return # an alias of another page
    if (title == "") title = base
    split("", all); split("", in_name); split("", in_title); split("", in_text)
    path = roff ? base : file
    sub(/\.[1-9][a-z]*$/, "", path)
    count(path, in_name)
    count(title, in_title)
    length_ = count(text, in_text)
    for (word in all)
        printf "%s %s:%d:%d:%d:%d\n", word, number, in_name[word], in_title[word], in_text[word],
            length_
    doc = out "/doc/" number
    printf "%s\n%s\n%s\n%s\n", encoded(file), folder "/" file, title, substr(text, 2, 20000) >doc
    close(doc)
    documents++
    total += length_
}

/^\001/ { finish(); begin($0); next }
{ add($0) }
END {
    finish()
    if (documents) print documents, total / documents >(out "/facts")
}
