# Completion in bash and zsh: made from what the programs print for -h.
load ../helper

MAKE="make -C $ROOT"

# Installs, once for all tests, with a prefix before the names if one is given.
installed() {
    stage=$BATS_FILE_TMPDIR/stage${1:-}
    [ -d "$stage" ] || $MAKE -s install DESTDIR="$stage" PREFIX=/usr PROGPREFIX="${1:-}"
    bash_file=$stage/usr/share/bash-completion/completions/${1:-}update
    zsh_file=$stage/usr/share/zsh/site-functions/_${1:-}rankpipe
}

# complete_line LINE: what bash offers at its end, in order, for a line of one command.
complete_line() {
    bash -c '
        . "$1"
        COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDBREAKS=$'\'' \t\n"\047@><=;|&(:'\''
        read -ra COMP_WORDS <<<"$2"
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        [[ $2 != *" " ]] || COMP_CWORD=$((COMP_CWORD + 1))
        "$(complete -p "${COMP_WORDS[0]##*/}" | sed "s/.* -F \([^ ]*\) .*/\1/")"
        echo "${COMPREPLY[*]}"' bash "$bash_file" "$1"
}

# offers LINE WORDS
offers() {
    local got
    got=$(complete_line "$1")
    [ "$got" = "$2" ] || { echo "'$1' offers '$got', not '$2'" && return 1; }
}

# The words after a pattern in what a program says of a command line.
said() {
    "${@:2}" 2>&1 >/dev/null </dev/null | sed -n "1s/$1//p"
}

@test "bash: every option that -h explains is offered, with -h and -V" {
    installed
    for program in $PROGRAMS; do
        letters=$(rows "$program" | cut -f 1 | sed '/^-/d')
        offers "$program -" "$(printf -- '-%s ' $letters h V | sed 's/ $//')"
    done
    offers 'rankpipe --' '--path --format'
}

@test "bash: learners, games, measures and words are those that the programs name" {
    installed
    offers 'update -a ' "$(said '.*choose from ' update -a '?' | tr -d ,)"
    offers 'synth ' "$(said '.*choose from ' synth '?' | tr -d ,)"
    offers 'bin2txt -f ' "$(said '.* wants ' bin2txt -f '?' | sed 's/, not .*//; s/,//g; s/ or / /')"
    for learner in kl solar1 ftpl; do [[ " $(complete_line 'update -a ') " == *" $learner "* ]]; done
    for measure in ndcg@ map loss:kl regret: ips: snips:; do
        [[ " $(complete_line 'metric ') " == *" $measure "* ]]
    done
}

@test "every word that is offered is one that the program takes" {
    sh "$ROOT/package/options" "$ROOT/bin/rankpipe" >options
    awk -F '\t' '$1 == "value" && $2 != "train" && $5 != "path" && $5 != "other" { print $2, $3, $5 }' options >values
    [ "$(wc -l <values)" -ge 6 ]
    while read -r program letter words; do
        for word in $words; do
            [ "$(said '^[^:]*: ' "$program" "-$letter" "$word" '-?')" = "no option '-?'" ]
        done
        fails 2 "*'?'*" "$program" "-$letter" '?'
    done <values
    echo 1:1 | weights2bin >w.bin
    for measure in $(awk -F '\t' '$1 == "operand" && $2 == "metric" { print $4 }' options); do
        against=
        case $measure in
        *@) measure+=3 ;;
        regret: | *ips: | dr:) measure+=dcg ;;
        regret:*) measure+=loss:kl against='-W w.bin' ;;
        drawn:) measure+=loss:kl ;;
        step:) measure+=slam ;;
        esac
        # shellcheck disable=SC2086 # two words or none
        fails 1 '*: the input is empty*' metric $against "$measure"
    done
    for game in $(awk -F '\t' '$1 == "operand" && $2 == "synth" { print $4 }' options); do
        synth -n 1 "$game" >/dev/null
    done
}

@test "bash: what has been typed counts: half words, values, operands, redirections" {
    installed
    offers 'update -a so' 'solar1 solar2 solar1-ties solar2-ties solar1-list solar2-list'
    offers 'update -Pa so' 'solar1 solar2 solar1-ties solar2-ties solar1-list solar2-list'
    offers '/usr/bin/bin2txt -f he' 'head'
    offers 'update -a kl,' 'kl,horizon= kl,radius= kl,eta='
    offers 'update -a memory,rho=3,p' '3,pairs= 3,prior= 3,plain' # the shell takes memory,rho= for a word of its own
    offers 'update -a nobody,e' ''
    offers 'update -a kl -z' ''
    offers 'explore -pswap -p l' 'leader'
    offers 'synth -n 4 noisy' 'noisy-binary'
    offers 'metric -t curve.tsv nd' 'ndcg@'
    offers 'metric >curve.tsv nd' 'ndcg@'
    offers 'metric > curve.tsv nd' 'ndcg@'
    offers 'update > w.bin -a so' 'solar1 solar2 solar1-ties solar2-ties solar1-list solar2-list'
    offers 'update 2>err -a so' 'solar1 solar2 solar1-ties solar2-ties solar1-list solar2-list'
    offers 'metric map -' ''
    offers 'metric loss:rank' 'ranksvm' # the shell takes loss: for a word of its own
    offers 'rankpipe upd' 'update'
    offers 'rankpipe explore -p b' 'blocks'
    offers 'rankpipe help upd' 'update'
    offers 'rankpipe hel' 'help'
}

@test "bash: scripts, their options and their learners are offered, and every page" {
    command -v python3 || skip "no python3 here: train -h needs it"
    installed
    offers 'rankpipe t' 'train'
    offers 'rankpipe help tr' 'train'
    offers 'rankpipe help l' 'log2bin loop live log learners logs'
    for script in train plot; do
        offers "rankpipe $script -" "$(rankpipe "$script" -h | sed -n 's/^  \(-[A-Za-z]\) .*/\1/p' | paste -sd ' ')"
    done
    offers 'rankpipe train -a ' "$(complete_line 'update -a ')"
    offers 'rankpipe train -a kl,e' 'kl,eta='
    offers 'rankpipe train -m nd' 'ndcg@'
    offers 'rankpipe train ' '' # files
    offers 'rankpipe export s' 'solr sql svm-light sofia'
    offers 'rankpipe import ' 'es solr json ranklib svm-light sofia'
    for page in "$ROOT"/man/*.7; do
        name=$(basename "${page%.7}")
        [[ " $(complete_line 'rankpipe help ') " == *" ${name#rankpipe-} "* ]]
    done
}

@test "the measures that are offered are those that metric names" {
    local cut='s/,//g; s/\[*@k]*//g; s/ /\n/g'
    rows metric | sed -n '$s/.* - one of: //p' | sed "$cut" >offered
    said ".*': \(choose from \)*" metric '?' | sed "$cut" | grep -v SURROGATE | sort >named
    [ "$(wc -l <named)" -ge 13 ]
    is "$(grep -v '^loss:' offered | sort -u)" "$(cat named)"
    said ".*': \(choose from \)*" metric loss:x | sed "$cut" | sort -u >named
    [ "$(wc -l <named)" -ge 8 ]
    is "$(sed -n 's/^loss://p' offered | sort -u)" "$(cat named)"
}

@test "bash: files, numbers and what is unknown are left to the shell" {
    installed
    for line in 'score -m ' 'svm2bin ' 'svm2bin < ' 'metric -t ' 'explore -s ' 'explore ' \
        'rankpipe nothing ' 'rankpipe nothing -'; do
        offers "$line" ''
    done
}

@test "bash: a prefix goes before the names" {
    installed rp-
    offers 'rp-update -a so' 'solar1 solar2 solar1-ties solar2-ties solar1-list solar2-list'
    offers 'rp-rankpipe update -a so' 'solar1 solar2 solar1-ties solar2-ties solar1-list solar2-list'
    for program in rankpipe $PROGRAMS; do
        [ -f "$stage/usr/share/bash-completion/completions/rp-$program" ]
    done
}

@test "zsh: the function is sound, and compinit takes it for every program" {
    command -v zsh || skip "no zsh here"
    for prefix in '' rp-; do
        installed "$prefix"
        zsh -n "$zsh_file"
        for program in rankpipe $PROGRAMS; do echo "$prefix$program _${prefix}rankpipe"; done >want
        # shellcheck disable=SC2016,SC2046
        zsh -fc 'fpath=($1 $fpath); autoload -Uz compinit; compinit -D -u; shift
            for name; do echo $name $_comps[$name]; done' zsh "${zsh_file%/*}" $(cut -d ' ' -f 1 want) >have
        same have want
    done
}

@test "zsh: what stands in _arguments is what the usage says" {
    command -v zsh || skip "no zsh here"
    installed rp-
    # shellcheck disable=SC2016
    zsh -fc '_arguments() { print -rl -- "$@" }; service=rp-update; . $1' zsh "$zsh_file" >update
    grep -xF -e "-a+:learner:($(said '.*choose from ' update -a '?' | tr -d ,))" update
    grep -xF -e '-m+:model:_files' update
    grep -xF -e '-d+:dim: ' update
    grep -xF -e '-n' update
    # shellcheck disable=SC2016
    zsh -fc '_arguments() { print -rl -- "$@" }; service=rp-rankpipe CURRENT=3 words=(rp-rankpipe explore -)
        . $1' zsh "$zsh_file" >explore
    grep -xF -e "-p+:policy:($(explore -h | sed -n '/^  -p /,/^  -s /p' | tr -d '\n' | sed 's/.*one *of: //; s/  -s .*//; s/  */ /g'))" explore
}
