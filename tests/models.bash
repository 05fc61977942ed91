# Models and rounds made by hand: load models

# The round that the hand-worked steps are taken on: X = (1 2; 3 -1), R = (1, 0).
two_documents() {
    mkstream round t=1 docs=2 dim=2 label:f4 1 0 x:f4 1 2 3 -1
}

# weights FILE: the weights of a model, in one line.
weights() {
    bin2txt "$1" | sed -n 's/^w\t[0-9]*\t//p' | paste -sd ' ' -
}

# model_array FILE NAME: an array of a model, in one line.
model_array() {
    bin2txt "$1" | sed -n "s/^$2\t[0-9]*\t//p" | paste -sd ' ' -
}

# holds FILE WEIGHT...: the model has these weights, to the last digit.
holds() {
    local file=$1 got
    shift
    got=$(weights "$file")
    [ "$got" = "$*" ] || { echo "$file holds $got, not $*" && return 1; }
}

# near FILE WEIGHT...: the same up to a relative 1e-15, where exp has been at work.
near() {
    local file=$1
    shift
    weights "$file" | awk -v want="$*" '{ n = split(want, w, " ")
        if (NF != n) exit 1
        for (j = 1; j <= n; j++) { d = $j - w[j]; if (d < 0) d = -d
            if (d > 1e-15 * (w[j] < 0 ? -w[j] : w[j])) { print $j, "is not", w[j]; exit 1 } } }'
}
