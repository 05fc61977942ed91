# Chaudhuri & Tewari 2015, and 2017 where it says the same: Tables 1 and 2, what is observable (Theorems 1 and 4, Lemmas 2, 3 and 11), and
# the regret in the measures of Theorems 7, 9 and 10.

CT2015_CLAIMS = ct2015-measures
FOUR = regret:dcg regret:sumloss regret:pairloss regret:prec@5
MEASURES_ENDS = $(call size,1000 3000 10000 30000 100000 300000,200 500,1000 4000 16000)
MEASURES_ITEMS = $(call size,4 8 16 32,4 8,4 8 16)
MEASURES_T = $(call size,100000,1000,10000)
MEASURES_SEEDS = $(call upto,$(call size,10,2,6))

# A query for each ranking of three items and each list of labels, with a score of minus the rank.
$(OUT)/ct2015-table.bin: ct2015.tsv | ../../bin/rankpipe $(OUT)
	awk -F '\t' '
	    NR == 1 { for (i = 3; i <= NF; i++) labels[i] = $$i }
	    $$1 == "table1" {
	        for (i = 3; i <= NF; i++) for (j = 1; j <= 3; j++)
	            print substr(labels[i], j, 1), "qid:" $$2 "-" labels[i], "1:" 0 - substr($$2, j, 1)
	    }' $< | svm2bin > $(new).queries
	echo 1 1 | weights2bin > $(new).w
	score -m $(new).w < $(new).queries | explore > $(new)
	rm $(new).queries $(new).w
	$(save)

# equal: entries that are the paper's, of 48.
$(OUT)/ct2015-%.values: $(OUT)/ct2015-%.entries ct2015.tsv
	sed -n 's/^$*	[0-9]*	//p' ct2015.tsv | tr '\t' '\n' |
	    paste - $< | awk '$$1 == $$2 { n++ } END { print "equal\t" n + 0 "\nentries\t" NR }' > $(new)
	$(save)

$(OUT)/ct2015-table1.entries: $(OUT)/ct2015-table.bin
	metric -r -e 1 sumloss < $< | awk 'NR > 1 { print $$2 - had; had = $$2 }' > $(new)
	$(save)

$(OUT)/ct2015-table2.entries: $(OUT)/ct2015-table.bin
	feedback-mask -k 1 < $< | bin2txt -f rank | awk -F '\t' '$$3 == 1 { print $$6 }' > $(new)
	$(save)

$(OUT)/ct2015-%.game: observability | $(OUT)
	./observability -v measure=$(word 1,$(subst -, ,$*)) -v items=$(word 2,$(subst -, ,$*)) > $(new)
	$(save)

# of a .game file, one number
of-game = awk -F '\t' '$$1 == "$1" { print "$2\t" $$2 }' $(OUT)/ct2015-$3.game
SUMLOSS_GAMES = $(foreach m,3 4,$(OUT)/ct2015-sumloss-$m.game)
HOPELESS_GAMES = $(foreach g,ndcg-3 map-3 auc-3 auc-4,$(OUT)/ct2015-$g.game)

$(OUT)/ct2015-theorem1.values: $(SUMLOSS_GAMES)
	{ $(call of-game,global,global-3,sumloss-3); $(call of-game,global,global-4,sumloss-4); } > $(new)
	$(save)
$(OUT)/ct2015-lemma2.values: $(SUMLOSS_GAMES)
	{ $(call of-game,pareto,pareto-3,sumloss-3); $(call of-game,pareto,pareto-4,sumloss-4); } > $(new)
	$(save)
$(OUT)/ct2015-lemma3.values: $(SUMLOSS_GAMES)
	{ $(call of-game,meeting,meeting-3,sumloss-3); $(call of-game,meeting,meeting-4,sumloss-4); } > $(new)
	$(save)
$(OUT)/ct2015-theorem4.values: $(SUMLOSS_GAMES)
	{ $(call of-game,local,local-3,sumloss-3); $(call of-game,local,local-4,sumloss-4); } > $(new)
	$(save)
$(OUT)/ct2015-lemma11.values: $(HOPELESS_GAMES)
	{
	    $(call of-game,global,ndcg-3,ndcg-3)
	    $(call of-game,global,map-3,map-3)
	    $(call of-game,global,auc-3,auc-3)
	    $(call of-game,global,auc-4,auc-4)
	} > $(new)
	$(save)

# Theorems 7, 9 and 10: with labels 0 and 1 the four measures have the same gain, so one run has all.
$(OUT)/measures.ends: sweep | ../../bin/rankpipe $(OUT)
	./sweep T='$(MEASURES_ENDS)' seed='$(MEASURES_SEEDS)' 'synth -n $$T noisy-binary | score |
	    explore -p blocks -T $$T -s $$seed | metric -t $$table -e $$T $(FOUR) | feedback-mask -k 1 |
	    update -a ftpl' > $(new)
	$(save)
# With more than one item seen: the theorems of 2017.
$(OUT)/topk.ends: sweep | ../../bin/rankpipe $(OUT)
	./sweep seen='2 5' T='$(MEASURES_ENDS)' seed='$(MEASURES_SEEDS)' 'synth -n $$T noisy-binary | score |
	    explore -p blocks -T $$T -k $$seen -s $$seed | metric -t $$table -e $$T $(FOUR) |
	    feedback-mask -k $$seen | update -a ftpl' > $(new)
	$(save)
$(OUT)/ct2017-topk.tsv: $(OUT)/topk.ends
	{
	    echo 'panel	series	T	regret'
	    for measure in $(FOUR:regret:%=%); do
	        ./mean -v by='seen T' -v of=regret:$$measure $< | sed "1d; s/^/$$measure	/"
	    done
	} > $(new)
	$(save)
slope-topk = printf '$1\t'; ./pick -v panel=$2 -v series=$3 -v slope=1 $(OUT)/ct2017-topk.tsv
$(OUT)/ct2017-theorem7.values: $(OUT)/ct2017-topk.tsv $(OUT)/ct2015-measures.tsv
	{
	    printf 'slope-1\t'
	    ./pick -v series=sumloss -v slope=1 $(OUT)/ct2015-measures.tsv
	    $(call slope-topk,slope-2,sumloss,2)
	    $(call slope-topk,slope-5,sumloss,5)
	} > $(new)
	$(save)
$(OUT)/ct2017-section27.values: $(OUT)/ct2017-topk.tsv
	{ $(call slope-topk,dcg,dcg,2); $(call slope-topk,prec,prec@5,2); } > $(new)
	$(save)

$(OUT)/items.ends: sweep | ../../bin/rankpipe $(OUT)
	./sweep items='$(MEASURES_ITEMS)' seed='$(MEASURES_SEEDS)' 'synth -n $(MEASURES_T) -l $$items \
	    noisy-binary | score | explore -p blocks -T $(MEASURES_T) -s $$seed |
	    metric -t $$table -e $(MEASURES_T) regret:dcg regret:sumloss regret:prec@2 |
	    feedback-mask -k 1 | update -a ftpl' > $(new)
	$(save)

$(OUT)/ct2015-measures.tsv: $(OUT)/measures.ends
	{
	    printf '# %s\n' 'title Chaudhuri & Tewari 2015, Theorems 7, 9 and 10: the top item seen' \
	        'x rounds T' 'y mean regret a round, runs of T rounds' 'log xy' \
	        'line T^(-1/3) -1/3. sumloss'
	    echo 'panel	series	T	regret'
	    for measure in $(FOUR:regret:%=%); do
	        ./mean -v by=T -v of=regret:$$measure $< | sed "1d; s/^/synth noisy-binary	$$measure	/"
	    done
	} > $(new)
	$(save)

# Theorem 9 with grades 0 to n: ten items of grades 0 to n, on which most users agree. A label is the item's grade plus
# N(0, 0.3^2), rounded, as in noisy-binary; N is a sum of 12 uniform numbers.
GRADES = 1 2 3 5
GRADED_ENDS = $(call size,1000 10000 100000,200 500,1000 16000)
$(OUT)/graded.%.bin: | ../../bin/rankpipe $(OUT)
	awk -v n=$* -v T=$(lastword $(GRADED_ENDS)) 'BEGIN {
	    srand(1)
	    for (t = 1; t <= T; t++) for (i = 0; i < 10; i++) {
	        for (noise = -6 + (k = 0); k < 12; k++) noise += rand()
	        label = int(i % (n + 1) + 0.3 * noise + 1.5) - 1
	        print (label < 0 ? 0 : label > n ? n : label) " qid:" t
	    }
	}' | svm2bin > $(new)
	$(save)
$(OUT)/graded.ends: $(GRADES:%=$(OUT)/graded.%.bin) sweep
	./sweep n='$(GRADES)' T='$(GRADED_ENDS)' seed='$(MEASURES_SEEDS)' 'replay -n $$T $(OUT)/graded.$$n.bin |
	    score | explore -p blocks -T $$T -L $$n -s $$seed | metric -t $$table -e $$T regret:dcg |
	    feedback-mask -k 1 | update -a ftpl' > $(new)
	$(save)

# The power of m, the number of items, by which the regret grows.
by-items = ./mean -v by=items -v of=regret:$1 $(OUT)/items.ends | awk ' \
    NR == 2 { m = $$1; y = $$2 } NR > 2 { end = $$1; last = $$2 } \
    END { printf "items\t%.3g\n", log(last / y) / log(end / m) }'
slope-of = printf 'slope\t'; ./pick -v series=$1 -v slope=1 $(OUT)/ct2015-measures.tsv
$(OUT)/ct2015-theorem7.values: $(OUT)/ct2015-measures.tsv $(OUT)/items.ends
	{
	    $(call slope-of,sumloss)
	    $(call by-items,sumloss)
	    ./mean -v by=T -v of='regret:sumloss regret:pairloss' $(OUT)/measures.ends |
	        awk 'NR > 1 { d = $$2 - $$3; if (d < 0) d = -d; if (d > most) most = d } END { print "apart\t" most + 0 }'
	} > $(new)
	$(save)
$(OUT)/ct2015-theorem9.values: $(OUT)/ct2015-measures.tsv $(OUT)/items.ends $(OUT)/graded.ends
	{
	    $(call slope-of,dcg)
	    $(call by-items,dcg)
	    ./mean -v by='n T' -v of=regret:dcg $(OUT)/graded.ends | awk -F '\t' '
	        NR > 1 && !($$1 in first) { first[$$1] = $$3; from = $$2 }
	        NR > 1 { last[$$1] = $$3; to = $$2 }
	        END {
	            printf "slope-3\t%.3g\n", log(last[3] / first[3]) / log(to / from)
	            for (n in last) printf "part-%d\t%.3g\n", n, last[n] / (2 ^ n - 1)
	        }'
	} > $(new)
	$(save)
$(OUT)/ct2015-theorem10.values: $(OUT)/ct2015-measures.tsv $(OUT)/items.ends
	{ $(call slope-of,prec@5); $(call by-items,prec@2); } > $(new)
	$(save)

# O(m log m) a round: the processor time of synth, explore and update over m.
TIME_ITEMS = $(call size,2000 10000 60000,100 1000,2000 20000)
TIME_ROUNDS = $(call size,300,20,100)
$(OUT)/ct2015-time.values: | ../../bin/rankpipe $(OUT)
	for m in $(TIME_ITEMS); do
	    echo "$$m	$$({ time loop "synth -n $(TIME_ROUNDS) -l $$m noisy-binary | score |
	        explore -p blocks -T 10000000000 | feedback-mask -k 1 | update -a ftpl" > $(new).w; } 2>&1 | $(seconds))"
	done > $(new).all
	awk -F '\t' 'NR == 1 { m = $$1; first = $$2 } { last = $$1; seconds = $$2 }
	    END { printf "slope\t%.2f\n", log(seconds / first) / log(last / m) }' $(new).all > $(new)
	rm $(new).*
	$(save)

# Corollary 6: the general algorithm on three items; and RTop-1F on the same.
FORECASTER_ENDS = $(call size,1000 10000 100000 300000,300 1000,1000 30000)
FORECASTER_SEEDS = $(call upto,$(call size,5,1,3))
$(OUT)/ct2015-corollary6.tsv: forecaster | ../../bin/rankpipe $(OUT)
	{
	    echo 'panel	series	T	regret'
	    for T in $(FORECASTER_ENDS); do
	        for seed in $(FORECASTER_SEEDS); do
	            synth -n $$T -l 3 noisy-binary | bin2txt | ./forecaster -v T=$$T -v seed=$$seed
	        done | awk -v OFS='\t' '{ sum += $$2 } END { print "3 items", "general", $$1, sum / NR }'
	        for seed in $(FORECASTER_SEEDS); do
	            loop "synth -n $$T -l 3 noisy-binary | score | explore -p blocks -T $$T -s $$seed |
	                metric -t $(new).table -e $$T regret:sumloss | feedback-mask -k 1 | update -a ftpl" > $(new).w
	            sed 1d $(new).table
	        done | awk -v OFS='\t' '{ sum += $$2 } END { print "3 items", "ftpl", $$1, sum / NR }'
	    done
	} > $(new)
	rm $(new).table $(new).w
	$(save)
$(OUT)/ct2015-corollary6.values: $(OUT)/ct2015-corollary6.tsv
	for series in general ftpl; do
	    echo "$$series-slope	$$(./pick -v series=$$series -v slope=1 $<)"
	    echo "$$series	$$(./pick -v series=$$series $<)"
	done > $(new)
	$(save)

# Theorem 12: the larger of the regrets under the two laws, in the longest runs.
$(OUT)/ct2015-theorem12.values: $(OUT)/ct2015-theorem12.tsv $(OUT)/ct2015-theorem12-map.tsv
	worse() { # name, learner, table
	    awk -F '\t' -v series="$$2" '
	        $$1 ~ /law$$/ && $$2 == series { last[$$1] = $$4 }
	        END { for (i in last) if (last[i] > most) most = last[i]; print most }' $$3 | sed "s/^/$$1	/"
	}
	{
	    worse auc-squared 'squared, 1 seen' $<
	    worse auc-ftpl 'ftpl, 1 seen' $<
	    worse auc-all 'ftpl, all seen' $<
	    worse map-squared 'squared, 1 seen' $(word 2,$^)
	    worse map-ftpl 'ftpl, 1 seen' $(word 2,$^)
	    worse map-all 'ftpl, all seen' $(word 2,$^)
	} > $(new)
	$(save)
