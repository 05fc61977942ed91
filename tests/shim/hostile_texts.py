"""57 texts that somebody may search for, or call a product, to break the page that shows them: TEXTS."""
# SPDX-License-Identifier: ISC

BAD = "document.title='broken'"
TEXTS = [
    "<script>%s</script>" % BAD, "</script><script>%s</script>" % BAD, "<SCRIPT SRC=//x.test/a.js></SCRIPT>",
    "<img src=x onerror=%s>" % BAD, "<svg onload=%s>" % BAD, "<svg><script>%s</script></svg>" % BAD,
    "<iframe srcdoc='<script>parent.%s</script>'>" % BAD, "<body onload=%s>" % BAD, "<details open ontoggle=%s>" % BAD,
    "<input autofocus onfocus=%s>" % BAD, "<a href='javascript:%s'>a</a>" % BAD, "<math><mtext><style><img src=x onerror=%s>" % BAD,
    "<style>*{display:none}</style>", "</style><style>*{display:none}</style>", "<link rel=stylesheet href=//x.test/a.css>",
    "<meta http-equiv=refresh content='0;url=//x.test'>", "<base href=//x.test/>", "<form action=//x.test><button>go",
    "<object data=//x.test>", "<embed src=//x.test>", "<template><p>", "<noscript><p title='</noscript><img src=x onerror=%s>'>" % BAD,
    "<!--", "-->", "<![CDATA[", "]]>", "<plaintext>", "<xmp>", "<textarea>", "</textarea>", "<title>", "</bdi></main></body>",
    "</svg></figure>", "' onmouseover=%s a='" % BAD, "\" onmouseover=%s a=\"" % BAD, "` onmouseover=%s" % BAD,
    "&lt;script&gt;", "&#60;script&#62;", "&amp;lt;", "&", "\\x3cscript\\x3e", "{{7*7}} ${7*7} <%= 7*7 %>", "%s%n%(x)s {0}",
    "'; DROP TABLE daily; --", "$(reboot) `reboot` ; reboot", "../../etc/passwd\0.html", "a\nb\r\nX-Header: c", "\x1b[2J\x1b]0;title\a",
    "\u202etxt.exe\u202c", "\u2066\u2067\u2068 abc \u2069", "\u05e9\u05dc\u05d5\u05dd abc \u0645\u0631\u062d\u0628\u0627",
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324" * 12, "\u200b\u200d\ufeff\u2060", "W" * 250, "lamp " * 100,
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f3f4\U000e0067", "\ufffd\ufffe\U0010ffff \ud7ff",
]
assert len(set(TEXTS)) == 57
