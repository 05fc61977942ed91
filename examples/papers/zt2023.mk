# Zhang & Tewari 2023, On the Minimax Regret in Online Ranking with Top-k Feedback (arXiv 2309.02425): which rates are
# possible, by games of up to four items; and a learner that has the one of Precision@n, beside RTop-1F.

ZT2023_ENDS = $(call size,1000 10000 100000,200 500,1000 16000)
ZT2023_SEEDS = $(call seeds,$(call upto,$(call size,10,2,6)))

$(OUT)/observed.tsv: observability | $(OUT)
	./observability all > $(new)
	$(save)
$(OUT)/observed-graded.tsv: observability | $(OUT)
	for seen in 1 2; do ./observability measure=ndcg items=3 seen=$$seen grades=2; done > $(new)
	$(save)

# said CONDITION: prints how many games of some measures have the rate that is said, and how many there are. $1 is
# a pattern of their measures, $2 an expression of awk for the rate, by items and seen.
said = awk -F '\t' 'NR > 1 && $$1 ~ /^($1)$$/ && $$4 != "0" { m = $$2; k = $$3; n++; right += $$4 == ($2) } \
    END { print "right\t" right + 0 "\ngames\t" n + 0 }' $(OUT)/observed.tsv
ROOT_T = "T^(1/2)"
MORE_T = "T^(2/3)"

$(OUT)/zt2023.%.ends: sweep | ../../bin/rankpipe $(OUT)
	./sweep T='$(ZT2023_ENDS)' seed='$(ZT2023_SEEDS)' 'synth -n $$T -s $$seed noisy-binary | score |
	    explore $(ZT2023_SHOWN.$*) -s $$seed | metric -t $$table -e $$T regret:prec@2 |
	    feedback-mask -k 1 | update -a $*' > $(new)
	$(save)
ZT2023_SHOWN.exp3m = -p subset -k 2
ZT2023_SHOWN.ftpl = -p blocks -T $$T

$(OUT)/zt2023-precision.values: $(OUT)/observed.tsv $(OUT)/zt2023.exp3m.ends $(OUT)/zt2023.ftpl.ends estimate
	{
	    $(call said,prec@.,$(ROOT_T))
	    for learner in exp3m ftpl; do
	        ./estimate -v name=$$learner-slope -v of=regret:prec@2 -v x=T -v slope=1 $(OUT)/zt2023.$$learner.ends
	        ./estimate -v name=$$learner -v of=regret:prec@2 -v x=T $(OUT)/zt2023.$$learner.ends
	    done
	} > $(new)
	$(save)
$(OUT)/zt2023-lists.values: $(OUT)/observed.tsv
	$(call said,sumloss|pairloss|dcg,k < m - 1 ? $(MORE_T) : $(ROOT_T)) > $(new)
	$(save)
$(OUT)/zt2023-cut.values: $(OUT)/observed.tsv
	$(call said,dcg@2,k < 2 && m > 2 ? $(MORE_T) : $(ROOT_T)) > $(new)
	$(save)
$(OUT)/zt2023-last.values: $(OUT)/observed.tsv $(OUT)/observed-graded.tsv
	{
	    $(call said,ndcg|ndcg@2|map,k == m || m == 2 ? $(ROOT_T) : k == m - 1 ? $(MORE_T) : "T")
	    $(call said,auc,k == m || m == 2 || m == 3 && k == 2 ? $(ROOT_T) : k == m - 1 || m == 3 ? $(MORE_T) : "T") |
	        sed 's/^/auc-/'
	    $(call said,mrr|err,k < m - 1 ? "T" : $(ROOT_T)) | sed 's/^/first-/'
	    awk '/^rate/ { n += $$2 == "T" } END { print "graded\t" n + 0 }' $(OUT)/observed-graded.tsv
	} > $(new)
	$(save)
