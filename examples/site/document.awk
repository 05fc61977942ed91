# document: prints the page of a document. Reads its title in the first line, and then its text.
NR == 1 { top($0); print "<pre>" }
NR > 1 { gsub(/[\001-\010\013-\037\177]/, ""); print html($0) }
END { print "</pre>"; bottom() }
