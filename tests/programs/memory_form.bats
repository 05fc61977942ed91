# The learner memory above 512 features: its sketch, where it begins, the file, the ring, sums.
load ../helper

# ask T DIM ANSWER: query T, whose one document has the feature 1 of DIM, is answered.
ask() {
    mkstream round t=$1 qid=q$1 docs=1 dim=$2 order:u4 0 seen:f4 $3 ptr:u4 0 1 idx:u4 0 val:f4 1
}

# columns FILE: the names of a model's columns.
columns() {
    head -n 1 "$1" | tr ' ' '\n' | sed -n 's/^cols=//p' | tr ',' '\n' | sed 's/:.*//' | paste -sd ' ' -
}

# number FILE NAME I: number I of a model's column, from 1.
number() {
    bin2txt "$1" | sed -n "s/^$2\t[0-9]*\t//p" | sed -n "$3p"
}

# near GOT WANT: two numbers, equal up to 1e-12.
near() {
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < 1e-12 && d > -1e-12) }' || { echo "$1 is not $2" && return 1; }
}

# lists QUERIES FEATURES: SVM-light text of lists of 6 documents, each with 8 features; the labels
# are linear in them.
lists() {
    awk -v q="$1" -v d="$2" 'BEGIN { srand(5)
        for (i = 1; i <= q; i++) for (k = 0; k < 6; k++) {
            line = ""; s = 0
            for (j = 1 + int(rand() * d / 4); j <= d; j += 1 + int(rand() * d / 4)) {
                v = int(1000 * rand()) / 1000; line = line " " j ":" v; s += j % 3 == 0 ? v : -v / 4 }
            print (s > 1 ? 2 : s > 0 ? 1 : 0) " qid:" i line } }'
}

# answered QUERIES FEATURES: lists of which two documents each were answered.
answered() {
    lists "$1" "$2" | svm2bin | replay -n "$1" - | explore -g 1 | feedback-mask -k 2
}

# cut_at N FILE: writes the first N rounds to head.bin, and the others to tail.bin.
cut_at() {
    python3 - "$1" "$2" <<'PY'
import sys
data, n, at, records = open(sys.argv[2], "rb").read(), int(sys.argv[1]), 0, []
while at < len(data):
    line = data[at:data.index(b"\n", at) + 1]
    end = at + len(line) + sum(int(w[6:]) for w in line.split() if w.startswith(b"bytes="))
    records.append(data[at:end])
    at = end
records.pop()
for name, part in ("head.bin", records[:n]), ("tail.bin", records[n:]):
    open(name, "wb").write(b"".join(part) + b"rankpipe/1 end rounds=%d bytes=0\n" % len(part))
PY
}

@test "up to 512 features a model has all of P, and above them a sketch" {
    for dim in 1 2 511 512 513 4097 100000; do
        ask 1 $dim 1 | update -x none -m $dim.bin
        is "$(columns $dim.bin | grep -c inverse)" $((dim <= 512))
        is "$(columns $dim.bin | grep -c 'rows diagonal sketch')" $((dim > 512))
        is "$(head -n 1 $dim.bin | grep -c " dim=$dim ")" 1
    done
    is "$(head -n 1 513.bin | grep -oE '(rows|diagonal|sketch):f8.[0-9]+' | paste -sd ' ')" \
        'rows:f8[2 diagonal:f8[2 sketch:f8[2' # the constant, and the mean: the deviation is 0
}

@test "one wrong index cannot take all memory" {
    ask 1 2097153 1 >round
    fails_on round 1 '*it has 2097153 features, but the model may have only 2097152 weights: add -d 2097153 if *' update
    update -d 2097153 <round
}

@test "features above 512 come late: P gives way to its diagonal, by hand" {
    # z = (1, 0, 1), rho = 1, lambda = 10. The first answer, 3: v = 3 / 12 for both, counted 1. Then D
    # is 11: b = 1 + 2/11 = 13/11, and e = 3 - 1/2, so that v += e / 11 / (13/11) = 2.5 / 13.
    ask 1 1 3 >rounds
    ask 2 513 3 >>rounds
    update -a memory,rho=1 -x none -m late.bin <rounds
    near "$(number late.bin constant 1)" "$(awk 'BEGIN { printf "%.17g", 0.25 + 2.5 / 13 }')"
    near "$(number late.bin level 1)" "$(awk 'BEGIN { printf "%.17g", 0.25 + 2.5 / 13 }')"
    is "$(number late.bin diagonal 1)" 11
    is "$(number late.bin counted 1)" 2
}

@test "a round that fails leaves a model of few features as it was, with P" {
    ask 1 1 3 | update -x none -m few.bin
    cp few.bin failed.bin
    mkstream round t=2 qid=b docs=1 dim=600 order:u4 0 seen:f4 1 ptr:u4 0 1 idx:u4 599 val:f4 inf >bad
    fails_on bad 1 '*a feature is not finite*' update -x none -m failed.bin
    same few.bin failed.bin
    { ask 2 1 2; ask 3 1 1; } >more
    update -x none -m few.bin <more
    update -x none -m failed.bin <more
    same few.bin failed.bin
    # in one run: the model is saved as it was before the round
    { ask 1 1 3; cat bad; } >both
    run update -x none -m run.bin <both
    is "$status" 1
    [ ! -e run.bin ] || [[ "$(columns run.bin)" == *inverse* ]]
}

@test "an older model of more features goes on with its P until it grows" {
    # plain: 514 rows, the constant's first; the identity
    inverse=$(awk 'BEGIN { for (j = 0; j < 514; j++) { for (i = 0; i < j; i++) printf "0 "; printf "1 " } }')
    zeros=$(awk 'BEGIN { for (j = 0; j < 513; j++) printf "0 " }')
    mkstream model learner=memory rounds=0 dim=513 tradeoff=10 width=4 plain=1 seed=1 w:f8 $zeros \
        inverse:f8 $inverse level:f8 $zeros constant:f8 0 moments:f8 0 0 0 0 0 \
        keys:u8 answers:f8 sums:f8 >old.bin || skip "no model of that length here"
    ask 1 513 3 | update -a memory,plain -x none -m old.bin
    [[ "$(columns old.bin)" == *inverse* ]]
    near "$(number old.bin w 1)" 0.25
    # and adds up with a newer model: 11 v + 10 v + z z'v, over 11 + z z'
    ask 2 513 3 | update -a memory,plain -x none -m new.bin
    for sum in 'old.bin new.bin' 'new.bin old.bin'; do
        # shellcheck disable=SC2086
        add-models $sum >sum.bin
        [[ "$(columns sum.bin)" != *inverse* ]]
        near "$(number sum.bin w 1)" "$(awk 'BEGIN { printf "%.17g", (11 / 4 + 3) / 13 }')"
    done
    ask 2 514 3 | update -a memory,plain -x none -d 514 -m old.bin
    [[ "$(columns old.bin)" != *inverse* && "$(columns old.bin)" == *sketch* ]]
    near "$(number old.bin w 1)" "$(awk 'BEGIN { printf "%.17g", 0.25 + 2.5 / 13 }')"
}

@test "a run that is stopped anywhere and resumed ends in the same bytes" {
    answered 60 700 >answered.bin
    update -m whole.bin <answered.bin
    for n in 1 8 15 16 17 24 40 59; do # 32 answers fill the sketch the first time, then each 16
        cut_at $n answered.bin
        rm -f parts.bin
        update -m parts.bin <head.bin
        update -m parts.bin <tail.bin 2>err
        same whole.bin parts.bin
    done
}

@test "pipes and loop, dense and sparse features, give the same bytes" {
    lists 30 600 | svm2bin >sparse.bin
    PYTHONPATH=$ROOT/lib/python python3 - <<'PY'
import struct
data, at, out = open("sparse.bin", "rb").read(), 0, []
while at < len(data):
    line = data[at:data.index(b"\n", at) + 1]
    words = line.split()
    size = sum(int(w[6:]) for w in words if w.startswith(b"bytes="))
    payload = data[at + len(line):at + len(line) + size]
    at += len(line) + size
    if words[1] != b"round":
        out.append(line + payload)
        continue
    columns = [w[5:] for w in words if w.startswith(b"cols=")][0].split(b",")
    pos, kept, names = 0, b"", []
    for c in columns:
        name, n = c.split(b":")[0], int(c[c.index(b"[") + 1:-1])
        width = {b"u1": 1, b"u4": 4, b"f4": 4, b"u8": 8, b"f8": 8}[c.split(b":")[1][:2]]
        part = payload[pos:pos + n * width]
        pos += n * width
        if name == b"ptr":
            ptr = struct.unpack("<%dI" % n, part)
        elif name == b"idx":
            idx = struct.unpack("<%dI" % n, part)
        elif name == b"val":
            val = struct.unpack("<%df" % n, part)
        else:
            names.append(c)
            kept += part
    docs, dim = len(ptr) - 1, 600
    x = [0.0] * (docs * dim)
    for i in range(docs):
        for e in range(ptr[i], ptr[i + 1]):
            x[i * dim + idx[e]] = val[e]
    kept += struct.pack("<%df" % len(x), *x)
    names.append(b"x:f4[%d]" % len(x))
    words = [w for w in words if not w.startswith((b"crc=", b"cols=", b"bytes=", b"dim="))]
    out.append(b" ".join(words + [b"dim=600", b"cols=" + b",".join(names), b"bytes=%d" % len(kept)]) + b"\n" + kept)
open("dense.bin", "wb").write(b"".join(out))
PY
    for form in sparse dense; do
        loop "replay -n 120 -s 3 $form.bin | score | explore | metric -t $form.tsv ndcg@10 |
            feedback-mask -k 1 | update -m $form.model"
    done
    same sparse.tsv dense.tsv
    same sparse.model dense.model
    mkfifo ring
    replay -n 120 -s 3 sparse.bin | score -f ring | explore | metric -t pipes.tsv ndcg@10 |
        feedback-mask -k 1 | update -f ring -m pipes.model
    same sparse.tsv pipes.tsv
    same sparse.model pipes.model
}

@test "models add up: shares of few answers, of other widths, are one run" {
    answered 14 700 >all.bin
    cut_at 7 all.bin
    update -m one.bin <all.bin
    update -m a.bin <head.bin
    update -m b.bin <tail.bin
    add-models a.bin b.bin >sum.bin
    for part in w level constant counted; do
        for i in 1 2 300 650; do
            a=$(number sum.bin $part $i) b=$(number one.bin $part $i)
            near "${a:-0}" "${b:-0}"
        done
    done
    # a share of few features has a full P, which gives way before it is added
    ask 1 1 3 | update -a memory,rho=1 -x none -m narrow.bin
    ask 2 513 3 | update -a memory,rho=1 -x none -m broad.bin
    add-models narrow.bin broad.bin >sum.bin
    # narrow: A v = 11 * 1/4 on its diagonal; broad: 10 v + z z'v = 10/4 + 2/4 = 3; A = 11 + z z'
    near "$(number sum.bin level 1)" "$(awk 'BEGIN { printf "%.17g", (11 / 4 + 3) / 13 }')"
    add-models broad.bin narrow.bin >other.bin
    near "$(number sum.bin level 1)" "$(number other.bin level 1)"
}

# broken PATTERN ROWS DIAGONAL SKETCH: a model of these columns is refused.
broken() {
    mkstream model learner=memory rounds=1 dim=2 tradeoff=10 width=4 seed=1 w:f8 0 0 level:f8 0 0 \
        constant:f8 0 moments:f8 1 1 0 0 0 keys:u8 7 answers:f8 1 sums:f8 1 \
        rows:f8 $2 diagonal:f8 $3 sketch:f8 $4 >broken.model
    ask 2 2 1 >round
    fails_on round 1 "update: model broken.model: model: $1" update -m broken.model
}

@test "a damaged sketch is refused" {
    broken 'row 1 of its sketch is 5: it is not a whole number below 5, or comes twice' '0 5' '1 1' '1 1'
    broken 'row 1 of its sketch is 3: it is not *' '3 3' '1 1' '1 1'
    broken 'row 0 of its sketch is 0.5: it is not *' 0.5 1 1
    broken 'row 0 of its sketch is -1: it is not *' -1 1 1
    broken 'number 1 of its diagonal is 0, not above 0' '0 1' '1 0' '1 1'
    broken 'number 0 of its diagonal is -2, not above 0' '0 1' '-2 1' '1 1'
    broken 'diagonal 1 is nan' '0 1' '1 nan' '1 1'
    broken 'sketch 1 is inf' '0 1' '1 1' '1 inf'
    broken 'no column diagonal:f8?2?, which memory needs' '0 1' 1 '1 1'
    broken 'no column sketch:f8?2?, which memory needs' '0 1' '1 1' '1 1 1'
    broken 'its sketch has 1 rows and 32 vectors, but may have 4096 and 31' 0 1 "$(printf '1 %.0s' {1..32})"
    broken 'no column sketch:f8?0?, which memory needs' '' '' 1
    # shellcheck disable=SC2046
    mkstream model learner=memory rounds=1 dim=600 tradeoff=10 width=4 seed=1 w:f8 $(printf '0 %.0s' {1..600}) >none
    ask 2 600 1 >round
    fails_on round 1 'update: model none: model: no column inverse:f8*, which memory needs' update -m none
}
