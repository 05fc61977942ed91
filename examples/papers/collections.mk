# How far learners come from random order towards ListNet with all labels, in the lists that they show: on
# every collection, with the spread over seeds. perceptrons-claims.mk has lambdarank.bin.

TABLES += collections
GAP_T = $(call size,20000,500,2000)
GAP_SEEDS = $(call seeds,$(call upto,$(call size,3,2,2)))
GAP_LEARNERS = kl squared ridge linucb thompson memory
# how explore shows; the others, and what update is given, are the defaults
gap-show.kl = -g 0.1
gap-show.squared = -g 0.1
gap-learn.kl = -e 1e-5 -U 1
gap-learn.squared = -e 1e-5 -U 1

$(OUT)/gap.%.runs: $(OUT)/$$(collection).bin sweep
	./sweep learner=$(learner) seed='$(GAP_SEEDS)' 'replay -n $(GAP_T) -s $$seed $< | score |
	    explore $(gap-show.$(learner)) -s $$seed | metric -t $$table -e $(GAP_T) ndcg@10 |
	    feedback-mask -k 1 | update -a $(learner) $(gap-learn.$(learner))' > $(new)
	$(save)

$(OUT)/gap.%.listnet.runs: $(OUT)/%.bin sweep
	./sweep learner=listnet seed='$(GAP_SEEDS)' 'replay -n $(GAP_T) -s $$seed $< | score | explore |
	    metric -t $$table -e $(GAP_T) ndcg@10 | feedback-mask -k all | update -a listnet' > $(new)
	$(save)

$(OUT)/gap.%.random.runs: $(OUT)/%.bin sweep
	./sweep learner=random seed='$(GAP_SEEDS)' 'replay -n $(GAP_T) -s $$seed $< | explore -g 1 -s $$seed |
	    metric -e $(GAP_T) ndcg@10 > $$table' > $(new)
	$(save)

# The share of a seed: its own run against the means of random and of listnet.
$(OUT)/collections.tsv: $(foreach c,$(COLLECTIONS),$(foreach a,random listnet $(GAP_LEARNERS),$(OUT)/gap.$c.$a.runs))
	{
	    printf 'learner'
	    for data in $(COLLECTIONS); do
	        case $$data in
	        MQ2008) data='$(MQ2008)' ;;
	        MSLR) data='$(MSLR)' ;;
	        esac
	        printf '\t%s\tshare' "$$data"
	    done
	    echo
	    for a in random listnet $(GAP_LEARNERS); do
	        printf '%s' $$a
	        for data in $(COLLECTIONS); do
	            awk -F '\t' 'FNR == 1 { file++; next }
	                { n[file]++; sum[file] += $$4; value[file, n[file]] = $$4 }
	                END {
	                    mean = sum[3] / n[3]
	                    for (i = 1; i <= n[3]; i++) square += (value[3, i] - mean) ^ 2
	                    se = n[3] > 1 ? sqrt(square / (n[3] - 1) / n[3]) : 0
	                    gap = sum[2] / n[2] - sum[1] / n[1]
	                    printf "\t%.4f +- %.4f\t%.0f +- %.0f %%", mean, se, 100 * (mean - sum[1] / n[1]) / gap, 100 * se / gap
	                }' $(OUT)/gap.$$data.random.runs $(OUT)/gap.$$data.listnet.runs $(OUT)/gap.$$data.$$a.runs
	        done
	        echo
	    done
	} > $(new)
	$(save)

# The learners' table on a collection as it is unpacked: DATA has Fold1 to Fold5 of MSLR-WEB10K, whose tests are its five
# parts, or Yahoo's set1.train.txt and set1.test.txt, or Istella's train.txt and test.txt. rankpipe train has a record for
# each learner and seed in rows/, and begins where it was stopped.
MSLR_TEXTS = $(if $(DATA),$(firstword $(if $(wildcard $(DATA)/Fold5/test.txt),parts) \
    $(if $(wildcard $(DATA)/set1.test.txt),set1) $(if $(wildcard $(DATA)/test.txt),whole)))
mslr-files.parts = -f 5 $(foreach i,1 2 3 4 5,'$(DATA)/Fold$i/test.txt')
mslr-files.set1 = '$(DATA)/set1.train.txt' '$(DATA)/set1.test.txt'
mslr-files.whole = '$(DATA)/train.txt' '$(DATA)/test.txt'
MSLR_LEARNERS = memory ridge linucb thompson squared kl pdgd
MSLR_SEEDS = $(call seeds,$(call upto,$(call size,5,2,3)))
mslr:
	[ '$(MSLR_TEXTS)' ] || { echo 'mslr: DATA=folder needs Fold1 to Fold5, set1.train.txt or train.txt' >&2; exit 1; }
	mkdir -p $(OUT)
	rankpipe train -A $(MSLR_LEARNERS:%=-a %) -s '$(MSLR_SEEDS)' $(call size,,-n 400,-n 20000) -o $(OUT)/mslr \
	    $(mslr-files.$(MSLR_TEXTS)) > $(OUT)/mslr.new
	mv $(OUT)/mslr.new $(OUT)/mslr.txt; echo $(OUT)/mslr.txt
.PHONY: mslr
