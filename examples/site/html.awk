# html: the head of each page, and the form.
function top(title, query) {
    print "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>"
    print "<meta name=viewport content=\"width=device-width\">"
    print "<title>" html(title) "</title>"
    print "<link rel=stylesheet href=\"/style.css\">\n</head>\n<body>"
    print "<form action=\"/cgi-bin/search\">"
    print "<input name=q type=search aria-label=Words maxlength=200 value=\"" html(query) "\"" \
        (title == "Search" ? " autofocus" : "") ">"
    print "<button>Search</button>\n</form>"
}

function bottom() {
    print "</body>\n</html>"
}
