# A locale with a decimal comma changes no byte of what scripts and examples print.
load ../helper

@test "scripts of cmd/ read and print a decimal point in any locale" {
    svm2bin "$ROOT/examples/data/small.svm" >q.bin
    update -a listnet -m w.bin <q.bin
    for i in 1 2; do replay -i "$i/2" q.bin | score -m w.bin | explore | metric -r ndcg@10 >share.$i; done
    scripts() {
        rankpipe add-tables -v last=240 ../share.[12]
        for form in sofia ranklib solr es sql; do rankpipe export $form ../w.bin 2>/dev/null; done
        rankpipe export sofia ../w.bin | rankpipe import sofia | bin2txt -f tsv
        printf '%s\n' 'request,query,doc,position,click,time' '1,a,b,1,1,1.7e9' | rankpipe log csv 2>/dev/null
        printf '.Sh NAME\n.Nd copy files\n' >cp.1
        printf 'files\n1\n' | rankpipe live session . && rm -r session
        rankpipe service first && bin2txt -f tsv w.bin && rm -r ./*
        rankpipe train -n 100 -s 1 -o train "$ROOT/examples/data/small.svm" "$ROOT/examples/data/small.svm" 2>/dev/null
        cat train/table.tsv && rm -r train
        ! command -v gnuplot >/dev/null || { metric -r -t table ndcg@10 <../q.bin >/dev/null; rankpipe plot -o picture.svg table; }
        ! command -v parallel >/dev/null || rankpipe sweep sweep ../q.bin 'eta=1e-5 1e-3' 'gamma=.1 .5' rounds=100 seed=1
        [ ! -d sweep ] || { cat sweep/sweep.tsv && mv sweep/*.svg . && rm -r sweep; }
    }
    HOME=$PWD alike scripts
    grep -q '0\.[0-9]' C.out
}

# Six folders of few lines, as those of data sets.
folders() {
    mkdir MQ2008 some some/lambdarank
    for i in 1 2 3 4 5; do awk -v i=$i '{ q += $2 != was; was = $2 } q % 5 == i - 1' "$ROOT/examples/data/small.svm" >MQ2008/S$i.txt; done
    cp MQ2008/S1.txt some/lambdarank/train.txt
    cp MQ2008/S2.txt some/lambdarank/test.txt
}

@test "examples print the same tables in any locale" {
    slow
    folders
    examples() {
        sh "$ROOT/examples/mq2008" ../MQ2008 40 1
        sh "$ROOT/examples/clicks" -c 40 ../MQ2008/S1.txt 2>/dev/null
        sh "$ROOT/examples/games" 1 100 200
        sh "$ROOT/examples/firstday" feature:1 ../MQ2008/S1.txt 2 40 1
    }
    alike examples
    grep -q '0\.[0-9]' C.out
}
