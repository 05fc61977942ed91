# Chaudhuri & Tewari 2016, Online Learning to Rank with Feedback at the Top: Figure 1 on MQ2008 and the
# sample of MSLR, and Theorem 4.1 on MQ2008. (The paper's own collections are Yahoo's and Yandex's.)

CT2016 = ct2016-figure1-schedule ct2016-figure1-best ct2016-theorem4.1 ct2016-lemma5 \
    ct2016-theorem5.2-surrogate
CT2016_T = $(call size,250000,2000,10000)
CT2016_ETAS = $(call size,1e-8 1e-7 1e-6 1e-5 1e-4,1e-4,1e-6 1e-5)
CT2016_GAMMAS = $(call size,0.03 0.1 0.3,0.1,0.1)
CT2016_BALLS = $(call size,1 5,1,1)
# seeds of the curves (the grid uses the first seed), and rounds from row to row
CT2016_FRESH = $(call seeds,$(call size,2 3 4,2,2))
CT2016_EACH = $(call size,5000,100,1000)
TOP = squared kl smoothdcg ranksvm

# of a target MQ2008.kl.runs: the collection, the learner, and the places with feedback
collection = $(word 1,$(subst ., ,$*))
learner = $(word 2,$(subst ., ,$*))
seen = $(if $(filter ranksvm,$(learner)),2,$(if $(filter listnet,$(learner)),all,1))

# The paper's schedule: eta = T^(-2/3), gamma = T^(-1/3). The paper does not give U.
$(OUT)/ct2016.%.schedule: $(OUT)/$$(collection).bin sweep
	./sweep data=$(collection) learner=$(learner) seed='$(CT2016_FRESH)' \
	    'replay -n $(CT2016_T) -s $$seed $< | score | explore -T $(CT2016_T) -s $$seed |
	    metric -t $$table -e $(CT2016_EACH) ndcg@10 | feedback-mask -k $(seen) |
	    update -a $$learner -T $(CT2016_T) -U 1' > $(new)
	$(save)

# The grid: one seed, the last row of each run.
$(OUT)/ct2016.%.grid: $(OUT)/$$(collection).bin sweep
	./sweep data=$(collection) learner=$(learner) eta='$(CT2016_ETAS)' gamma='$(CT2016_GAMMAS)' \
	    U='$(CT2016_BALLS)' 'replay -n $(CT2016_T) -s $(first-seed) $< | score | explore -g $$gamma -s $(first-seed) |
	    metric -t $$table -e $(CT2016_T) ndcg@10 | feedback-mask -k $(seen) |
	    update -a $$learner -e $$eta -U $$U' > $(new)
	$(save)

# The best setting of the grid, run again with other seeds.
$(OUT)/ct2016.%.best: $(OUT)/ct2016.%.grid $(OUT)/$$(collection).bin sweep best
	IFS=$$'\t' read -r data learner eta gamma U rest < \
	    <(./best -v of='eta gamma U' -v by=ndcg@10 $< | sed 1d)
	./sweep data=$$data learner=$$learner eta=$$eta gamma=$$gamma U=$$U seed='$(CT2016_FRESH)' \
	    'replay -n $(CT2016_T) -s $$seed $(OUT)/$(collection).bin | score | explore -g $$gamma -s $$seed |
	    metric -t $$table -e $(CT2016_EACH) ndcg@10 | feedback-mask -k $(seen) |
	    update -a $$learner -e $$eta -U $$U' > $(new)
	$(save)

# Feedback on all labels (ListNet), and none (random).
$(OUT)/ct2016.%.listnet.runs: $(OUT)/%.bin sweep
	./sweep data=$* learner=listnet seed='$(CT2016_FRESH)' \
	    'replay -n $(CT2016_T) -s $$seed $< | score | explore |
	    metric -t $$table -e $(CT2016_EACH) ndcg@10 | feedback-mask -k all |
	    update -a $$learner -T $(CT2016_T)' > $(new)
	$(save)

$(OUT)/ct2016.%.random.runs: $(OUT)/%.bin sweep
	./sweep data=$* learner=random seed='$(CT2016_FRESH)' \
	    'replay -n $(CT2016_T) -s $$seed $< | explore -g 1 -s $$seed |
	    metric -e $(CT2016_EACH) ndcg@10 > $$table' > $(new)
	$(save)

ct2016-runs = $(foreach c,MQ2008 MSLR $(LARGE),$(foreach a,$(TOP),$(OUT)/ct2016.$c.$a.$1) \
    $(OUT)/ct2016.$c.listnet.runs $(OUT)/ct2016.$c.random.runs)

$(OUT)/ct2016-figure1-%.tsv: $$(call ct2016-runs,$$*)
	{
	    echo '# title Chaudhuri & Tewari 2016, Figure 1: mean NDCG@10, $(if $(filter best,$*),best of a grid,the paper'"'"'s schedule)'
	    echo '# x round t'
	    echo '# y mean NDCG@10 so far'
	    echo 'panel	series	t	ndcg@10'
	    ./mean -v by='data learner t' -v of=ndcg@10 $^ | sed 1d | $(call-by-name)
	} > $(new)
	$(save)

# Theorem 4.1: the loss of the scores drawn over T rounds, minus the loss of the best fixed weights in the
# ball. The scores drawn are those of the weights, except in exploring rounds. T is a number of whole passes, so that the same w is best for all T. The theorem's eta is T^(-2/3)
# times a constant that it does not give. Here the constant is 1, as in Figure 1, or 0.01.
CT2016_PASSES = $(call size,1 4 16 64 256 1024,1 2,1 8 64)
CT2016_SEEDS = $(call seeds,$(call upto,$(call size,3,1,1)))
BOUNDED = squared kl ranksvm

$(OUT)/ct2016-theorem4.1.%.runs: $(OUT)/MQ2008.bin sweep
	queries=$$(bin2txt -f head $< | grep -c .)
	for times in $(call size,1 0.01,1 0.01,0.01); do for passes in $(CT2016_PASSES); do
	    T=$$((passes * queries))
	    eta=$$(awk "BEGIN { print $$times * exp(-2 / 3 * log($$T)) }")
	    ./sweep learner=$* times=$$times T=$$T eta=$$eta seed='$(CT2016_SEEDS)' \
	        'replay -n $$T -s $$seed $< | score | explore -T $$T -s $$seed |
	        metric -t $$table -e $$T loss:$* drawn:loss:$* | feedback-mask -k $(if $(filter ranksvm,$*),2,1) |
	        update -a $* -e $$eta -U 1'
	done; done | awk 'NR == 1 || !/^learner/' > $(new)
	$(save)

# The mean loss of the best fixed weights, and the eta that found them: many passes over all labels.
$(OUT)/ct2016-theorem4.1.%.fixed: $(OUT)/MQ2008.bin
	queries=$$(bin2txt -f head $< | grep -c .)
	for eta in $(call size,1e-2 1e-3 1e-4 1e-5 1e-6,1e-3 1e-4,1e-3 1e-4); do
	    loop "replay -n $$((queries * $(call size,500,20,60))) -s $(first-seed) $< | update -a $* -e $$eta -U 1" > $(new).w
	    echo $$(score -m $(new).w < $< | explore | metric loss:$* | tail -n 1 | cut -f 2) $$eta
	done | sort -g > $(new)
	rm $(new).w
	$(save)

$(OUT)/ct2016-theorem4.1.tsv: $(foreach a,$(BOUNDED),$(foreach f,runs fixed,$(OUT)/ct2016-theorem4.1.$a.$f))
	{
	    printf '# %s\n' "title Chaudhuri & Tewari 2016, Theorem 4.1: regret in the surrogate" \
	        'x rounds T' 'y regret over T rounds' 'log xy'
	    for a in $(BOUNDED); do echo "# line T^(2/3) 2/3. $$a"; done
	    echo 'panel	series	T	regret'
	    for a in $(BOUNDED); do
	        read -r fixed _ < $(OUT)/ct2016-theorem4.1.$$a.fixed
	        ./mean -v by='times learner T' -v of="drawn:loss:$$a loss:$$a" $(OUT)/ct2016-theorem4.1.$$a.runs |
	            awk -F '\t' -v OFS='\t' -v fixed=$$fixed -v data='$(MQ2008)' '
	                NR == 1 { next }
	                { panel = data ", eta = " $$1 " T^(-2/3)" }
	                { print panel, $$2, $$3, $$3 * ($$4 - fixed) }
	                { print panel, $$2 ", greedy scores", $$3, $$3 * ($$5 - fixed) }'
	    done
	} > $(new)
	$(save)
