# param: prints the values of parameters of this request (CGI's QUERY_STRING), one a line.
#
#     awk -v want='r p' -f text.awk -f param.awk
BEGIN {
    n = split(substr(ENVIRON["QUERY_STRING"], 1, 4000), pair, "&")
    for (i = n; i > 0; i--) {
        at = index(pair[i], "=")
        value[substr(pair[i], 1, at - 1)] = substr(pair[i], at + 1, 1000)
    }
    n = split(want, name, " ")
    for (i = 1; i <= n; i++) print decoded(value[name[i]])
}
