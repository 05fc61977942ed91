# group: writes each word with its documents into the file of the folder `out` that has the words of
# the same first three bytes. Reads lines of word and document, sorted.
function finish() {
    if (word == "") return
    file = substr(word, 1, 3)
    if (file != last && last != "") close(out last)
    last = file
    print word documents >(out file)
}
$1 != word { finish(); word = $1; documents = "" }
{ documents = documents " " $2 }
END { finish() }
