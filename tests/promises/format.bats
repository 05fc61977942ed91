# rankpipe --format is the one statement of what keys and columns of rounds may be: whoever repeats
# it repeats all of it.
load ../helper

# The format as rankpipe(5) writes it: what the tables of keys, of columns, and of what belongs
# together say of each name.
stated() {
    rankpipe --format | awk -F '\t' '
        function bound(b) {
            if (b == 2^53) return "2\\(ha53"
            if (b == 2^53 - 1) return "2\\(ha53 - 1"
            if (b == 2^32 - 1) return "2\\(ha32 - 1"
            if (b == 2^31) return "2\\(ha31"
            if (b ~ /e-308$/) return "2\\(ha-1022"
            return b == "docs-1" ? "docs - 1" : b
        }
        function values(type, many, least, most) {
            if (type == "hex") return many " digits"
            if (many ~ /^[0-9]+$/) return "1 to " many " bytes"
            return least == "-" ? "any" : least == "finite" || least == most ? least : bound(least) " to " bound(most)
        }
        NR == 1 { next }
        { value = values($3, $4, $5, $6); sub(/,/, ", ", $3); gsub(/,/, ", ", $7); gsub(/,/, ", ", $8) }
        $1 == "key" { print "keys:", $2, value }
        $1 == "column" { print "columns:", $2, $3, $4 }
        { print "together:", $2, $9, $1 == "key" ? "-" : value, $7, $8 }'
}

# table HEADING COLUMNS NAME: the first cells of the rows of the first table under a heading.
table() {
    awk -v heading=".Ss $1" -v cells="$2" -v name="$3:" '
        /^\.S[sh]/ { on = $0 == heading }
        on && /^\.It Sy/ { rows = 1; next }
        rows && /^\.El/ { exit }
        rows { sub(/^\.It /, ""); n = split($0, cell, / Ta /); line = name
               for (i = 1; i <= cells; i++) line = line " " cell[i]
               print line }' "$ROOT/man/rankpipe.5"
}

@test "rankpipe(5) has each key and each column, with what the format says of it" {
    { table 'Keys of a round' 2 keys && table 'Columns of a round' 3 columns &&
        table 'What belongs together' 5 together; } | sort >page
    stated | sort | diff - page
    [ "$(wc -l <page)" -gt 70 ]
}

@test "rankpipe.py has the format as it is printed" {
    command -v python3 >/dev/null || skip "no python3 here"
    PYTHONPATH=$ROOT/lib/python \
        python3 -B -c 'import rankpipe; print(rankpipe.FORMAT, end="")' | tr -s ' ' >module
    rankpipe --format | tr '\t' ' ' | diff - module
}

@test "the format names each key and column once, in words that it explains, and nothing else" {
    rankpipe --format >format
    is "$(head -n 1 format | tr '\t' ' ')" "kind name type length least most needs excludes of flag"
    [ "$(awk -F '\t' 'NF != 10 || /\t\t/' format | wc -l)" = 0 ]
    [ -z "$(tail -n +2 format | cut -f 2 | sort | uniq -d)" ]
    tail -n +2 format | cut -f 9 | sort -u | xargs | diff - <(echo draw judges list model record round users)
    # What goes when a new order is drawn: how it was drawn, and what a log says of it.
    awk -F '\t' '($9 == "draw") != ($10 == "choice") { print $2 }' format | diff - <(echo propensity)
    # Exclusion is mutual.
    awk -F '\t' '{ n = split($8, other, ","); for (i = 1; i <= n; i++) if (other[i] ~ /[a-z]/ && NR > 1) print $2, other[i] }' \
        format | sort >pairs
    awk '{ print $2, $1 }' pairs | sort | diff - pairs
    fails 1 'rankpipe: cannot write <stdout>: *' sh -c 'rankpipe --format >/dev/full'
}

@test "what the format says of needs and exclusions is what a reader checks" {
    # round KEYS COLUMNS PAYLOAD: a stream of one round.
    round() {
        printf 'rankpipe/1 round t=1 docs=2 dim=0%s %sbytes=%d\n' "$1" "${2:+cols=$2 }" "$(printf "$3" | wc -c)"
        printf "$3"
        printf 'rankpipe/1 end rounds=1 bytes=0\n'
    }
    zero='\0\0\0\0\0\0\0\0' one='\0\0\0\0\0\0\360\077'
    declare -A key=([gamma]=gamma=1 [top]=top=1 [swap]=swap=1 [subset]=subset=1 [block]=block=1 [group]=group=1) column=(
        [score]=score:f8[2] [order]=order:u4[2] [logit]=logit:f8[2] [team]=team:u1[2] [seen]=seen:f4[2] [propensity]=propensity:f8[2])
    declare -A bytes=([score]=$zero$zero [order]='\0\0\0\0\01\0\0\0' [logit]=$zero$zero [team]='\0\0' [seen]=$zero [propensity]=$one$one)
    names="gamma top swap subset block group score order logit team seen propensity"
    rankpipe --format >format
    # Each set of these names: it is read if the format has nothing against it.
    read -ra all <<<"$names"
    total=0 right=0
    for ((set = 0; set < 4096; set += STRIDE == 1 ? 1 : 9)); do
        has= keys= columns= payload=
        for i in "${!all[@]}"; do
            ((set >> i & 1)) || continue
            name=${all[i]} has+=" ${all[i]}"
            keys+=${key[$name]:+ ${key[$name]}}
            columns+=${column[$name]:+,${column[$name]}}
            payload+=${bytes[$name]-}
        done
        want=$(awk -F '\t' -v has="$has " '
            index(has, " " $2 " ") {
                n = split($7, word, ","); for (i = 1; i <= n; i++) if (word[i] != "-" && !index(has, " " word[i] " ")) bad = 1
                n = split($8, word, ","); for (i = 1; i <= n; i++) if (index(has, " " word[i] " ")) bad = 1
            }
            END { print bad + 0 }' format)
        got=0
        round "$keys" "${columns#,}" "$payload" | bin2txt -f head >out 2>err || got=$?
        [ "$got" = "$want" ] || { echo "$has: $got, not $want" && cat err && return 1; }
        total=$((total + 1)) right=$((right + !want))
    done
    [ $total -ge 300 ] && [ $right -ge 10 ]
}
