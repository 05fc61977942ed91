# find: finds documents for queries.
#
# Reads queries, one a line. Prints the best thirty documents for each by a score of its own, the
# best one first, and an empty line. A line is the number of the document, a tab, and its features as
# svm2bin(1) reads them with -u. If a tab and the number of a document follow a query, this document
# is labelled 1 and the others 0.
#
# The features are: 1, BM25 of the words in the text; 2 and 3, the part of the words that is in the
# title and in the name, by how rare they are; 4, the part that is there at all; 5, whether the name or
# the title has all of them; 6, the logarithm of the length.
BEGIN {
    FS = "\t"
    most = 30
    getline facts <"index/facts"
    split(facts, fact, " ")
    all = fact[1]
    mean = fact[2]
}

# What the index has about a word: number:name:title:text:length of each document that has it.
function look(word, file, line, found) {
    file = "index/word/" substr(word, 1, 3)
    found = ""
    while ((getline line <file) > 0)
        if (index(line, word " ") == 1) { found = substr(line, length(word) + 2); break }
    close(file)
    return found
}

function add(word, list, n, i, part, rare, j) {
    n = split(look(word), list, " ")
    rare = log(1 + (all - n + 0.5) / (n + 0.5))
    sum += rare
    for (i = 1; i <= n; i++) {
        split(list[i], part, ":")
        j = part[1]
        text[j] += rare * part[4] * 2.2 / (part[4] + 1.2 * (0.25 + 0.75 * part[5] / mean))
        title[j] += rare * (part[3] > 0)
        name[j] += rare * (part[2] > 0)
        there[j]++
        size[j] = part[5]
    }
}

# Puts the `most` best documents into best[1], best[2] ...; returns how many there are. Of documents
# with the same score the one with the smaller number is first.
function choose(n, i, j) {
    n = 0
    for (j in text) {
        own[j] = text[j] + 2 * title[j] + name[j]
        if (n < most) n++
        else if (!before(j, best[n])) continue
        for (i = n; i > 1 && before(j, best[i - 1]); i--) best[i] = best[i - 1]
        best[i] = j
    }
    return n
}

function before(a, b) {
    return own[a] > own[b] || (own[a] == own[b] && a + 0 < b + 0)
}

function named(number, file, line) {
    file = "index/doc/" number
    getline line <file
    close(file)
    return line
}

function query(text_asked, wanted, list, n, m, i, j, qid, full, label) {
    split("", text); split("", title); split("", name); split("", there); split("", best)
    sum = 0
    n = asked(text_asked, list)
    for (i = 1; i <= n; i++) {
        qid = qid (i > 1 ? "+" : "") encoded(list[i])
        add(list[i])
    }
    m = choose()
    for (i = 1; i <= m; i++) {
        j = best[i]
        full = title[j] > sum - 1e-9 || name[j] > sum - 1e-9
        label = wanted == "" ? "?" : j == wanted ? 1 : 0
        printf "%s\t%s qid:%s 1:%.4g 2:%.4g 3:%.4g 4:%.4g 5:%d 6:%.4g # %s\n", j, label, qid,
            text[j], title[j] / sum, name[j] / sum, there[j] / n, full, log(1 + size[j]), named(j)
    }
    print ""
}

{ query($1, $2) }
