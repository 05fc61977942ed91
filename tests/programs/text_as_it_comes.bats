# What svm2bin does with text as it comes from others: it reads the text, or names a remedy.
load ../helper

NEEDS=perl

# reads TEXT RESULT: the text (as printf prints it) is read, without a word; RESULT is what bin2txt prints.
reads() {
    printf -- "$1" >text
    svm2bin text >bin 2>err
    is "$(cat err)" ''
    is "$(bin2txt bin)" "$(printf -- "$2")"
}

# refuses TEXT MESSAGE: it is refused; the message fits this glob, from the file's name on.
refuses() {
    printf -- "$1" >text
    fails 1 "svm2bin: text: $2" svm2bin text
}

# mends TEXT MESSAGE RESULT: and the command at the end of the message makes text of it that is read as
# RESULT is.
mends() {
    refuses "$1" "$2"
    command=$(sed "s/.* run //; s/ (to set.*//; s/.* by '\(.*\)'$/\1/" err)
    bash -c "$command" <text >mended
    svm2bin mended >bin
    printf -- "$3" | svm2bin >want
    same want bin
}

@test "text that is read as it is" {
    two='1 qid:7 1:0.5 2:1\n0 qid:7 1:1 2:0\n'
    reads '1 qid:7 1:0.5 2:1\n0 qid:7 1:1\n' "$two"
    reads '1 qid:7 1:0.5 2:1\r\n0 qid:7 1:1\r\n' "$two"     # Windows
    reads '1\tqid:7\t1:0.5\t2:1\n0\tqid:7  1:1\t\n' "$two"  # tabs, and blanks at the end
    reads '  1 qid:7 1:0.5 2:1   \n\n0 qid:7 1:1' "$two"    # no last line end
    reads '# by us\n#\n1 qid:7 1:0.5 2:1\n0 qid:7 1:1\n' "$two"
    reads '1.0 qid:007 1:.5 2:+1e0\n' '1 qid:007 1:0.5 2:1\n'
    reads '2 qid:7 1:-1E-1 # \303\251 \342\202\254\n' '2 qid:7 1:-0.100000001 # \303\251\n'
    reads '1 1:0.5 2:1\n0 1:1\n' '1 1:0.5 2:1\n0 1:1 2:0\n' # no qid
}

@test "missing values: how many there are, and a command that drops them" {
    for value in NULL null NaN nan NA none inf -inf +Infinity '?' ''; do
        mends "1 qid:7 1:$value 2:$value 3:4 4:$value\n0 qid:7 1:1 2:$value # 5:1\n2 qid:7 2:1 3:0.5\n" \
            "line 1: the value is not a number: '1:*': missing values: 4, in lines: 2: to drop them, so that they count as 0, run sed -E *" \
            '1 qid:7 3:4\n0 qid:7 1:1 # 5:1\n2 qid:7 2:1 3:0.5\n'
    done
}

@test "other text: a remedy, which works" {
    mends '1 qid:7 1:0.5\r0 qid:7 1:1\r' "line 1: the value is not a number: '1:0.5?r0': if lines end with CR alone, run tr *" \
        '1 qid:7 1:0.5\n0 qid:7 1:1\n'
    mends '1 qid: 7 1:0.5\n0 qid: 8 1:1\n' "line 1: a qid without a name: 'qid:': for qid:NAME, run sed -E *" \
        '1 qid:7 1:0.5\n0 qid:8 1:1\n'
    mends '1 qid=7 1:0.5\n' "line 1: not a feature (index:value): 'qid=7': for qid:NAME, run sed -E *" '1 qid:7 1:0.5\n'
    mends '1 QID:7 1:0.5\n' "line 1: not a feature (index:value): 'QID:7': for qid:NAME, run sed -E *" '1 qid:7 1:0.5\n'
    mends '1 1:0.5 2:1 qid:7 # a\n' "line 1: not a feature (index:value): 'qid:7': the qid follows the label: run sed -E *" \
        '1 qid:7 1:0.5 2:1 # a\n'
    mends '1 qid:7 2:1 1:0.5 # a\n0 qid:7 1:1 # b\n' "line 1: index 1 after a larger one: '1:0.5': to sort features, *, run perl *" \
        '1 qid:7 1:0.5 2:1 # a\n0 qid:7 1:1 2:0 # b\n'
    mends '1 qid:7 1:1 1:0.5 10:1 9:2\n' "line 1: index 1 comes twice: '1:0.5': to sort features, of which the last of each index stays, run perl *" \
        '1 qid:7 1:0.5 9:2 10:1\n'
    mends '1 qid:7 1:0,5 2:1\n' "line 1: the value is not a number: '1:0,5': for decimal points, *, run sed -E *" '1 qid:7 1:0.5 2:1\n'
    mends '1 qid:7 1:0.5, 2:1,\n' "line 1: the value is not a number: '1:0.5,': *, run sed -E *" '1 qid:7 1:0.5 2:1\n'
    mends '1 qid:7 1 : 0.5 2 :1\n' "line 1: not a feature (index:value): '1': for index:value without blanks, run sed -E *" '1 qid:7 1:0.5 2:1\n'
    mends '1\302\240qid:7 1:1\n' "line 1: the label is not a number: '1?xc2?xa0qid:7': it has no-break spaces: run sed *" '1 qid:7 1:1\n'
    mends '1;qid:7;1:0.5\n' "line 1: the label is not a number: '1;qid:7;1:0.5': for blanks between words, run sed 's/;/ /g'*" '1 qid:7 1:0.5\n'
    mends '-1 qid:7 1:0.5\n+1 qid:7 1:1\n' "line 1: the label is below 0: '-1': for labels 0 and 1, run sed *" '0 qid:7 1:0.5\n1 qid:7 1:1\n'
    mends 'label,qid,f1,f2\n1,7,0.5,1\n' "line 1: the label is not a number: 'label,qid,f1,f2': a table? *, run awk -F , *" '1 qid:7 1:0.5 2:1\n'
    mends '1;7;0.5;1\n' "line 1: the label is not a number: '1;7;0.5;1': a table? *, run awk -F ';' *" '1 qid:7 1:0.5 2:1\n'
    mends '1 7 0.5 1\n' "line 1: not a feature (index:value): '7': a table? *, run awk '*" '1 qid:7 1:0.5 2:1\n'
    mends '\357\273\2771 qid:7 1:1\n' "not text: a byte-order mark comes first: remove it, by 'tail -c +4'" '1 qid:7 1:1\n'
    printf '1 qid:7 1:1\n' | gzip >packed
    fails 1 "svm2bin: packed: not text: compressed by gzip: decompress it first, by 'gzip -dc'" svm2bin packed
}

@test "text for which there is no command: what to do" {
    refuses '1 qid:7 bm25:0.5\n' "line 1: not a feature (index:value): 'bm25:0.5': features are numbered from 1: *"
    refuses '1 qid:7 1:0.5 2:red\n' \
        "line 1: the value is not a number: '2:red': values are numbers: give each text a feature of its own, with the value 1"
    refuses 'good qid:7 1:0.5\n' "line 1: the label is not a number: 'good': a label is a number from 0, *"
    refuses 'NaN qid:7 1:0.5\n' "line 1: the label is not a number: 'NaN': a label is a number from 0, *"
    refuses 'qid:7 1:0.5\n' "line 1: no label before the qid: use -u: 'qid:7'"
    refuses '1 qid: 1:0.5\n' "line 1: a qid without a name: 'qid:'"
    refuses '1 qid:7 0:1 1:0.5\n' "line 1: index 0: indices start at 1 (or use -0): '0:1'"
    refuses '{"label":1,"qid":7}\n' "line 1: the label is not a number: *: JSON? write LABEL qid:QUERY *"
    refuses '1 qid:7 1:1\n0 qid:8 1:1\n0 qid:7 1:1\n' "line 3: a qid is not contiguous: *: sort -s -k 2,2 groups them: 'qid:7'"
    refuses '\377\3761\0 \0' "not text: a byte-order mark of UTF-16 comes first: convert it, by 'iconv -f UTF-16'"
    refuses 'BZh91AY' "not text: compressed by bzip2: decompress it first, by 'bzip2 -dc'"
    refuses '1 qid:7 1:1e400\n' "line 1: the value is too large for a float: '1:1e400'"
    refuses '' 'the text has no documents'
}

@test "-k gives the remedy with the first query that it skips, and once" {
    for q in $(seq 20); do echo "1 qid:$q 1:$((q % 3 ? q : 0)) 2:$([ $((q % 4)) = 0 ] && echo NULL || echo 1)"; done >text
    svm2bin -k text 2>err >bin
    [[ $(head -n 1 err) == "svm2bin: text: line 4: the value is not a number: '2:NULL': missing values: 5, in lines: 5: to drop them, "* ]]
    is "$(sed 1d err)" "svm2bin: text: line 8: the value is not a number: '2:NULL'
svm2bin: text: line 12: the value is not a number: '2:NULL'
svm2bin: text: line 16: the value is not a number: '2:NULL'
svm2bin: text: line 20: the value is not a number: '2:NULL'
svm2bin: skipped 5 of 20 queries"
    # from a pipe, which cannot be read again, without the numbers
    cat text | svm2bin -k 2>err >bin
    [[ $(head -n 1 err) == "svm2bin: <stdin>: line 4: the value is not a number: '2:NULL': to drop them, "* ]]
}
