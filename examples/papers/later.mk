# A later method on the list of ct2015.mk: TopRank from clicks on all ten items, beside ftpl, which
# sees the label of the top item.

LATER = later-lists
LATER_ENDS = $(call size,1000 3000 10000 30000 100000,100 300)
LATER_SEEDS = $(call seeds,$(call upto,$(call size,10,1)))
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

$(OUT)/later-lists.tsv: $(foreach a,toprank ftpl,$(OUT)/later.$a.ends)
	{
	    printf '# %s\n' 'title A later method: regret in DCG, from clicks (ftpl: one label)' \
	        'x rounds T' 'y mean regret a round, runs of T rounds' 'log xy' 'size 1260 480' \
	        'line T^(-1/3) -1/3. ftpl'
	    echo 'panel	series	T	regret'
	    for user in $(USERS); do
	        ./mean -v by='user learner T' -v of=regret:dcg $^ | grep "^$$user	" | sed 's/^/clicks: /'
	    done
	} > $(new)
	$(save)

# Means and standard errors over the seeds, of the two longest runs. A seed draws the rounds, the clicks and the ties.
TABLES += later-lists-table
LATER_SHOWN = $(call size,10000 100000,100 300)
$(OUT)/later-lists-table.tsv: $(foreach a,toprank ftpl,$(OUT)/later.$a.ends)
	awk -F '\t' -v OFS='\t' -v users='$(USERS)' -v ends='$(LATER_SHOWN)' '
	    FNR == 1 { for (i = 1; i <= NF; i++) at[$$i] = i; next }
	    {
	        learner = $$at["learner"]
	        if (!(learner in known)) { known[learner]; order[++learners] = learner }
	        k = learner SUBSEP $$at["user"] SUBSEP $$at["T"]
	        n[k]++
	        sum[k] += $$at["regret:dcg"]
	        square[k] += $$at["regret:dcg"] ^ 2
	    }
	    END {
	        u = split(users, user, " ")
	        e = split(ends, end, " ")
	        printf "regret in DCG a round"
	        for (i = 1; i <= u; i++) for (j = 1; j <= e; j++) printf "\t%s, T = %s", user[i], end[j]
	        print ""
	        for (l = 1; l <= learners; l++) {
	            printf "%s", order[l]
	            for (i = 1; i <= u; i++) for (j = 1; j <= e; j++) {
	                k = order[l] SUBSEP user[i] SUBSEP end[j]
	                m = sum[k] / n[k]
	                spread = square[k] / n[k] - m * m
	                printf "\t%.4f +- %.4f", m, (n[k] > 1 && spread > 0 ? sqrt(spread / (n[k] - 1)) : 0)
	            }
	            print ""
	        }
	    }' $^ > $(new)
	$(save)
