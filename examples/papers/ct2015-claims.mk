# Chaudhuri & Tewari 2015, and 2017 where it says the same: Tables 1 and 2, what is observable (Theorems 1 and 4, Lemmas 2, 3 and 11), and
# the regret in the measures of Theorems 7, 9 and 10.

CT2015_CLAIMS = ct2015-measures
FOUR = regret:dcg regret:sumloss regret:pairloss regret:prec@5
MEASURES_ENDS = $(call size,1000 3000 10000 30000 100000 300000,200 500,1000 4000 16000)
MEASURES_ITEMS = $(call size,4 8 16 32,4 8,4 8 16)
MEASURES_T = $(call size,100000,1000,10000)
MEASURES_SEEDS = $(call seeds,$(call upto,$(call size,10,2,6)))

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
	./observability measure=$(word 1,$(subst -, ,$*)) items=$(word 2,$(subst -, ,$*)) > $(new)
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
	./sweep T='$(MEASURES_ENDS)' seed='$(MEASURES_SEEDS)' 'synth -n $$T -s $$seed noisy-binary | score |
	    explore -p blocks -T $$T -s $$seed | metric -t $$table -e $$T $(FOUR) | feedback-mask -k 1 |
	    update -a ftpl' > $(new)
	$(save)
# With more than one item seen: the theorems of 2017.
$(OUT)/topk.ends: sweep | ../../bin/rankpipe $(OUT)
	./sweep seen='2 5' T='$(MEASURES_ENDS)' seed='$(MEASURES_SEEDS)' 'synth -n $$T -s $$seed noisy-binary | score |
	    explore -p blocks -T $$T -k $$seen -s $$seed | metric -t $$table -e $$T $(FOUR) |
	    feedback-mask -k $$seen | update -a ftpl' > $(new)
	$(save)
slope-topk = ./estimate -v name=$1 -v of=regret:$2 -v x=T -v where=seen=$3 -v slope=1 $(OUT)/topk.ends
$(OUT)/ct2017-theorem7.values: $(OUT)/topk.ends $(OUT)/measures.ends estimate
	{
	    $(call slope-of,slope-1,sumloss)
	    $(call slope-topk,slope-2,sumloss,2)
	    $(call slope-topk,slope-5,sumloss,5)
	} > $(new)
	$(save)
$(OUT)/ct2017-section27.values: $(OUT)/topk.ends estimate
	{ $(call slope-topk,dcg,dcg,2); $(call slope-topk,prec,prec@5,2); } > $(new)
	$(save)

$(OUT)/items.ends: sweep | ../../bin/rankpipe $(OUT)
	./sweep items='$(MEASURES_ITEMS)' seed='$(MEASURES_SEEDS)' 'synth -n $(MEASURES_T) -s $$seed -l $$items \
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

# Theorem 9 with grades 0 to n.
GRADES = 1 2 3 5
GRADED_ENDS = $(call size,1000 10000 100000,200 500,1000 16000)
$(OUT)/graded.ends: graded sweep | ../../bin/rankpipe $(OUT)
	for n in $(GRADES); do for seed in $(MEASURES_SEEDS); do
	    ./graded -v n=$$n -v T=$(lastword $(GRADED_ENDS)) -v seed=$$seed | svm2bin > $(new).bin
	    ./sweep n=$$n T='$(GRADED_ENDS)' seed=$$seed 'replay -n $$T '$(new).bin' | score |
	        explore -p blocks -T $$T -L $$n -s $$seed | metric -t $$table -e $$T regret:dcg |
	        feedback-mask -k 1 | update -a ftpl'
	done; done | awk 'NR == 1 || !/^n/' > $(new)
	rm $(new).bin
	$(save)

# The power of m, the number of items, by which the regret grows.
by-items = ./estimate -v name=items -v of=regret:$1 -v x=items -v slope=1 $(OUT)/items.ends
slope-of = ./estimate -v name=$1 -v of=regret:$2 -v x=T -v slope=1 $(OUT)/measures.ends
$(OUT)/ct2015-theorem7.values: $(OUT)/measures.ends $(OUT)/items.ends estimate
	{
	    $(call slope-of,slope,sumloss)
	    $(call by-items,sumloss)
	    ./mean -v by='T seed' -v of='regret:sumloss regret:pairloss' $(OUT)/measures.ends |
	        awk 'NR > 1 { d = $$3 - $$4; if (d < 0) d = -d; if (d > most) most = d } END { print "apart\t" most + 0 }'
	} > $(new)
	$(save)
$(OUT)/ct2015-theorem9.values: $(OUT)/measures.ends $(OUT)/items.ends $(OUT)/graded.ends estimate
	{
	    $(call slope-of,slope,dcg)
	    $(call by-items,dcg)
	    ./estimate -v name=slope-3 -v of=regret:dcg -v x=T -v where=n=3 -v slope=1 $(OUT)/graded.ends
	    for n in $(GRADES); do
	        ./estimate -v name=part-$$n -v of=regret:dcg -v x=T -v where=n=$$n -v over=$$((2 ** n - 1)) $(OUT)/graded.ends
	    done
	} > $(new)
	$(save)
$(OUT)/ct2015-theorem10.values: $(OUT)/measures.ends $(OUT)/items.ends estimate
	{ $(call slope-of,slope,prec@5); $(call by-items,prec@2); } > $(new)
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
FORECASTER_SEEDS = $(call seeds,$(call upto,$(call size,5,1,3)))
$(OUT)/corollary6.ends: forecaster | ../../bin/rankpipe $(OUT)
	{
	    echo 'learner	T	seed	regret:sumloss'
	    for T in $(FORECASTER_ENDS); do for seed in $(FORECASTER_SEEDS); do
	        echo "general	$$T	$$seed	$$(synth -n $$T -s $$seed -l 3 noisy-binary | bin2txt |
	            ./forecaster -v T=$$T -v seed=$$seed | cut -f 2)"
	        loop "synth -n $$T -s $$seed -l 3 noisy-binary | score | explore -p blocks -T $$T -s $$seed |
	            metric -t $(new).table -e $$T regret:sumloss | feedback-mask -k 1 | update -a ftpl" > $(new).w
	        sed "1d; s/^[0-9]*/ftpl	$$T	$$seed/" $(new).table
	    done; done
	} > $(new)
	rm $(new).table $(new).w
	$(save)
$(OUT)/ct2015-corollary6.values: $(OUT)/corollary6.ends estimate
	for learner in general ftpl; do
	    ./estimate -v name=$$learner-slope -v of=regret:sumloss -v x=T -v where=learner=$$learner -v slope=1 $<
	    ./estimate -v name=$$learner -v of=regret:sumloss -v x=T -v where=learner=$$learner $<
	done > $(new)
	$(save)

# Theorem 12: the larger of the regrets under the two laws, in the longest runs.
worse = for law in '' -q; do \
    ./estimate -v name=$1 -v of=regret:$2 -v x=T $(OUT)/hopeless-$2$$law.$3.$2.theorem; \
    done | sort -t '	' -k 2,2g | tail -n 1
theorem12 = $(foreach m,auc map,$(foreach l,hopeless-$m hopeless-$m-q,$(foreach p,squared-1 ftpl-1 ftpl-all,$l.$p.$m)))
$(OUT)/ct2015-theorem12.values: $(theorem12:%=$(OUT)/%.theorem) estimate
	{
	    $(call worse,auc-squared,auc,squared-1)
	    $(call worse,auc-ftpl,auc,ftpl-1)
	    $(call worse,auc-all,auc,ftpl-all)
	    $(call worse,map-squared,map,squared-1)
	    $(call worse,map-ftpl,map,ftpl-1)
	    $(call worse,map-all,map,ftpl-all)
	} > $(new)
	$(save)
