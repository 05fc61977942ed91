# Patches: what update -b saves of a large model, and who reads it. rankpipe(5), "Patches".
load ../helper
load ../service

# A model of 140,000 pairs of query and document, 4.5 MB, and ten rounds for each of three runs after it.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    synth -n 1400 -l 100 -d 5 linear | update -m large 2>/dev/null
    for i in 1 2 3; do synth -b $((1391 + 10 * i)) -n $((1400 + 10 * i)) -l 20 -d 5 linear >"ten.$i"; done
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    cp "$BATS_FILE_TMPDIR"/{large,ten.*} .
    cp large w.bin
}

size() { stat -c %s "$1"; }

@test "a patch is the model that it stands for, for all that read models, and is learnt on" {
    cp large plain
    for i in 1 2 3; do
        update -b -m w.bin <ten.$i 2>/dev/null
        update -m plain <ten.$i 2>/dev/null
        head -c 16 w.bin | grep -qx 'rankpipe/1 patch'
        [ "$(size w.bin)" -lt 32000 ]
        for form in values head tsv memory boosts; do
            same <(bin2txt -f $form w.bin 2>err.1) <(bin2txt -f $form plain 2>err.2)
        done
        same <(score -m w.bin <ten.3 | crcless) <(score -m plain <ten.3 | crcless)
        same <(add-models w.bin) <(add-models plain)
    done
    same <(rankpipe export json w.bin 2>err) <(rankpipe export json plain 2>err)
    is "$(echo whole.*)" "whole.1400.$(head -c 29 large | tail -c 8).bin"
    same whole.* large
    is "$(bin2txt -f check w.bin)" 'w.bin: whole: 1 model, all with crc='
    update -m w.bin <ten.1 2>/dev/null # without -b all of it is saved
    update -m plain <ten.1 2>/dev/null
    same w.bin plain
}

crcless() { LC_ALL=C sed 's/ crc=[0-9a-f]*//'; }

clicked() { explore -p uniform -g 1 | feedback-mask -c noise -k all; }

@test "pairs that make way are gone from the patch, too, which has all tables that a memory has" {
    synth -n 1600 -l 100 -d 5 linear | clicked | update -a memory,pairs=140000,clients=3 -m full 2>/dev/null
    cp full plain
    for i in 1 2; do
        synth -b $((1591 + 10 * i)) -n $((1600 + 10 * i)) -l 20 -d 5 linear | clicked >clicks
        update -b -m full <clicks 2>/dev/null
        update -m plain <clicks 2>/dev/null
        head -n 1 full | grep -a 'keys-gone:u8\[[1-9]' | grep -aq ' tables=keys:4,queries:3,dropped:3,clients:3,gainers:2 '
        same <(bin2txt -f values full) <(bin2txt -f values plain)
    done
}

@test "where much has changed, or the model is small, it is saved whole" {
    synth -b 1401 -n 1500 -l 100 -d 5 linear >many
    cp large plain
    update -b -m w.bin <many 2>/dev/null
    update -m plain <many 2>/dev/null
    same w.bin plain
    update -b -m w.bin <ten.1 2>/dev/null # and the next patch is one of this
    head -n 1 w.bin | grep -a ' since=1500\.'
    synth -n 100 -d 5 linear | tee few | update -b -m small 2>/dev/null
    update -b -m small <ten.1 2>/dev/null
    head -c 16 small | grep -qx 'rankpipe/1 model'
    fails 2 'update: -b needs -m, the model file to save*' update -b
}

@test "a patch without its whole model, or with another one, is refused by its name" {
    update -b -m w.bin <ten.1 2>/dev/null
    whole=$(echo whole.*)
    mkdir away
    cp w.bin away
    for program in 'score -m' 'update -m' 'add-models' 'bin2txt -f tsv' 'rankpipe export json'; do
        # shellcheck disable=SC2086
        fails_on ten.2 1 "*away/w.bin*$whole*" $program away/w.bin
    done
    fails_on w.bin 1 "bin2txt: <stdin>: it holds what changed of a model since $whole: give the name of the file, *" bin2txt
    synth -n 1400 -s 2 -l 100 -d 5 linear | update -m "away/$whole" 2>/dev/null
    fails_on ten.2 1 "score: away/$whole is not the model of that name" score -m away/w.bin
    fails_on ten.2 1 "*away/$whole is not the model of that name" rankpipe export json away/w.bin
    head -c 2000000 large >"away/$whole"
    fails_on ten.2 1 "score: away/$whole: stream cut short*" score -m away/w.bin
    printf x | dd of="$whole" bs=1 seek=3000000 conv=notrunc 2>/dev/null
    fails_on ten.2 1 'score: *whole.*: a model: damaged: *' score -m w.bin
    rm away/w.bin
    ln -s ../w.bin away/w.bin # the whole one is beside what a link leads to
    cp large "$whole.new" && mv "$whole.new" "$whole"
    score -m away/w.bin <ten.2 | cmp - <(score -m w.bin <ten.2)
}

@test "the module for Python refuses what is not a patch with its whole model by an Error" {
    update -b -m w.bin <ten.1 2>/dev/null
    PYTHONPATH=$ROOT/lib/python python3 - <<'END'
import glob, os, re
import rankpipe

[name] = glob.glob("whole.*")
good, whole = (open(path, "rb").read() for path in ("w.bin", name))

def changed(old, new):
    """The patch with other words in its header line, and the checksum of that."""
    line, _, rest = good.partition(b"\n")
    assert old in line
    line = line.replace(old, new) + b"\n"
    zero = line[:21] + b"00000000" + line[29:]
    end = rest.index(b"rankpipe/1 end")
    return line[:21] + b"%08x" % rankpipe.crc32c(zero, rest[:end]) + line[29:] + rest

def refused(data, whole_data=whole):
    with open("w.bin", "wb") as file:
        file.write(data)
    os.path.lexists(name) and os.unlink(name)
    if whole_data is None:
        os.mkfifo(name)
    else:
        with open(name, "wb") as file:
            file.write(whole_data)
    try:
        raise SystemExit("read: %r" % rankpipe.read_model("w.bin").keys)
    except rankpipe.Error as error:
        assert len(str(error)) < 500, error

assert rankpipe.read_model("w.bin").rounds == 1410
for old, new in ((b"keys:4", b"queries:4"), (b"keys:4", b"keys:3"), (b"keys:4", b"keys:9"), (b"keys:4", b"none:4"),
                 (b"keys:4,queries:3", b"queries:3,keys:4"), (b"keys:4,queries:3", b"keys:4,keys:4"),
                 (b"keys-gone", b"keys-come"), (b"since=1400", b"since=1401"), (b"since=1400", b"since=01400"),
                 (b"since=1400.", b"since=1400/")):
    refused(changed(old, new))
refused(good, good)
refused(good, None)
refused(good, whole[:-1000])
refused(good, whole.replace(b"rounds=1400", b"rounds=1401", 1))
END
}

@test "a file that cannot be read is replaced by a model that is whole" {
    update -b -m w.bin <ten.1 2>/dev/null
    rm whole.*
    synth -n 10 -d 5 linear | update -b -n -m w.bin 2>/dev/null
    head -c 16 w.bin | grep -qx 'rankpipe/1 model'
    [ "$(echo whole.*)" = 'whole.*' ]
}

@test "score -r takes a patch as any other model, while rounds go on" {
    cp large plain && update -m plain <ten.1 2>/dev/null
    mkfifo in
    score -r -m w.bin <in >out &
    exec 5>in
    head -c "$(one ten.2)" ten.2 >&5
    update -b -m w.bin <ten.1 2>/dev/null
    for i in $(seq 600); do # until it ranks by the new one
        head -c "$(one ten.2)" ten.2 >&5
        sleep 0.1
        [ "$(salvage <out 2>/dev/null | scores | sort -u | wc -l)" -lt 40 ] || break
    done
    printf 'rankpipe/1 end rounds=%d bytes=0\n' $((i + 1)) >&5
    exec 5>&-
    wait
    scores <out | tail -n 20 >last
    [ "$(wc -l <last)" = 20 ]
    same last <( (head -c "$(one ten.2)" ten.2 && echo 'rankpipe/1 end rounds=1 bytes=0') | score -m plain | scores)
}

scores() { bin2txt -f values | awk -F '\t' '$4 == "score" { print $3, $5 }'; }

one() { # bytes of the first record of a stream
    python3 -c 'import sys; line = open(sys.argv[1], "rb").readline(); print(len(line) + int(line.rsplit(b"=")[-1]))' "$1"
}

@test "killed anywhere, the file holds the model before or the one after" {
    update -b -m w.bin <ten.1 2>/dev/null
    cp w.bin before
    cp w.bin plain && update -m plain <ten.2 2>/dev/null
    add-models w.bin >model.old
    add-models plain >model.new
    for i in $(seq 40); do
        timeout -s KILL "0.0$(printf %02d $((i * 2)))" update -b -m w.bin <ten.2 2>/dev/null || true
        add-models w.bin >model
        cmp -s model model.old || { same model model.new && cp before w.bin; }
    done
}
