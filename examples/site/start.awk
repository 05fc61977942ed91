# start: makes queries from titles, so that the site knows something before its first user: a search
# for two words of a document's title should find this document. Prints such lines for find.awk, of up
# to a hundred documents.
BEGIN {
    while ((getline line <"names") > 0) last++
    step = int((last + 99) / 100)
    for (number = 1; number <= last; number += step) {
        file = "index/doc/" number
        if ((getline line <file) > 0) {
            getline line <file
            getline title <file
            if ((n = words(title, list))) {
                i = 1 + number % n
                print list[i], list[i % n + 1] "\t" number
            }
        }
        close(file)
    }
}
