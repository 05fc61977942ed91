# Chaudhuri & Tewari 2015, Online Ranking with Top-1 Feedback, section 10: the regret in DCG on a fixed
# list of 10 items, with noisy labels. Ten runs, each on users of its own.

CT2015 = ct2015-figure1 ct2015-figure2
CT2015_T = $(call size,10000,1000,10000)
CT2015_ENDS = $(call size,1000 2000 5000 10000 20000 50000 100000 200000 500000 1000000,200 500 1000,1000 4000 16000)
CT2015_SEEDS = $(call seeds,$(call upto,$(call size,10,3,10)))

# the policy of explore for feedback on this many places
show = -p $(if $(filter all,$1),leader,blocks -k $1)

# Runs with feedback on this many places: all rows of one horizon, as in the paper; and one row
# for each horizon.
$(OUT)/fixed-%.within: sweep | ../../bin/rankpipe $(OUT)
	./sweep seen=$* T=$(CT2015_T) seed='$(CT2015_SEEDS)' 'synth -n $$T -s $$seed noisy-binary | score |
	    explore $(call show,$*) -T $$T -s $$seed | metric -t $$table -e $(call size,100,50,100) regret:dcg |
	    feedback-mask -k $$seen | update -a ftpl' > $(new)
	$(save)

$(OUT)/fixed-%.ends: sweep | ../../bin/rankpipe $(OUT)
	./sweep seen=$* T='$(CT2015_ENDS)' seed='$(CT2015_SEEDS)' 'synth -n $$T -s $$seed noisy-binary | score |
	    explore $(call show,$*) -T $$T -s $$seed | metric -t $$table -e $$T regret:dcg |
	    feedback-mask -k $$seen | update -a ftpl' > $(new)
	$(save)

# a figure's rows: panel, series, x, y
within = ./mean -v by='seen t' -v of=regret:dcg $1 | sed '1d; s/^/one run of $(CT2015_T) rounds	seen: /'
ends = ./mean -v by='seen t' -v of=regret:dcg $1 | sed '1d; s/^/ends of runs of t rounds	seen: /'

$(OUT)/ct2015-figure1.tsv: $(OUT)/fixed-1.within $(OUT)/fixed-1.ends
	{
	    echo '# title Chaudhuri & Tewari 2015, Figure 1: regret in DCG, the top item seen'
	    echo '# x round t'
	    echo '# y mean regret a round'
	    echo '# log xy'
	    echo '# line t^(-1/3) -1/3. seen: 1'
	    echo 'panel	series	t	regret:dcg'
	    $(call within,$(OUT)/fixed-1.within)
	    $(call ends,$(OUT)/fixed-1.ends)
	} > $(new)
	$(save)

$(OUT)/ct2015-figure2.tsv: $(foreach k,1 all,$(OUT)/fixed-$k.within $(OUT)/fixed-$k.ends)
	{
	    echo '# title Chaudhuri & Tewari 2015, Figure 2: regret in DCG, the top item seen and all'
	    echo '# x round t'
	    echo '# y mean regret a round'
	    echo '# log xy'
	    echo '# line t^(-1/3) -1/3. seen: 1'
	    echo '# line t^(-1/2) -1/2. seen: all'
	    echo 'panel	series	t	regret:dcg'
	    $(call within,$(filter %.within,$^)) | awk -F '\t' '$$3 >= $(CT2015_T) / 10'
	    $(call ends,$(filter %.ends,$^))
	} > $(new)
	$(save)

# The slope of the regret a round: over runs of T rounds, and within one run from round 500 on.
of-dcg = ./estimate -v name=$1 -v of=regret:dcg
$(OUT)/ct2015-figure1.values: $(OUT)/fixed-1.ends $(OUT)/fixed-1.within estimate
	{
	    $(call of-dcg,slope) -v x=T -v slope=1 $<
	    $(call of-dcg,slope-within) -v x=t -v slope=1 -v from=500 $(word 2,$^)
	    $(call of-dcg,regret) -v x=t $(word 2,$^)
	} > $(new)
	$(save)

$(OUT)/ct2015-figure2.values: $(OUT)/fixed-all.ends $(OUT)/fixed-all.within estimate
	{
	    $(call of-dcg,slope) -v x=T -v slope=1 $<
	    $(call of-dcg,regret) -v x=t $(word 2,$^)
	} > $(new)
	$(save)
