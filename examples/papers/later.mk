# Later methods on the list of ct2015.mk: TopRank, BubbleRank and CascadeKL-UCB from clicks on all ten
# items, beside ftpl, which sees the label of the top item.

LATER = later-lists
LATER_ENDS = $(call size,1000 3000 10000 30000 100000,100 300)
LATER_SEEDS = $(call upto,$(call size,3,1))
USERS = cascade navigational perfect

$(OUT)/later.%.ends: sweep | ../../bin/rankpipe $(OUT)
	./sweep user='$(USERS)' learner=$* T='$(LATER_ENDS)' seed='$(LATER_SEEDS)' \
	    'synth -n $$T -s $$seed noisy-binary | score | explore -s $$seed |
	    metric -t $$table -e $$T regret:dcg | feedback-mask -L 1 -c $$user -s $$seed |
	    update -a $$learner' > $(new)
	$(save)

$(OUT)/later.ftpl.ends: sweep | ../../bin/rankpipe $(OUT)
	./sweep user='$(USERS)' learner=ftpl T='$(LATER_ENDS)' seed='$(LATER_SEEDS)' \
	    'synth -n $$T -s $$seed noisy-binary | score | explore -p blocks -T $$T -s $$seed |
	    metric -t $$table -e $$T regret:dcg | feedback-mask -k 1 | update -a ftpl' > $(new)
	$(save)

$(OUT)/later-lists.tsv: $(foreach a,toprank bubblerank cascade-klucb ftpl,$(OUT)/later.$a.ends)
	{
	    printf '# %s\n' 'title Later methods: regret in DCG, from clicks (ftpl: one label)' \
	        'x rounds T' 'y mean regret a round, runs of T rounds' 'log xy' 'size 1260 480' \
	        'line T^(-1/3) -1/3. ftpl'
	    echo 'panel	series	T	regret'
	    for user in $(USERS); do
	        ./mean -v by='user learner T' -v of=regret:dcg $^ | grep "^$$user	" | sed 's/^/clicks: /'
	    done
	} > $(new)
	$(save)
