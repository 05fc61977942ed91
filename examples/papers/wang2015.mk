# Wang et al. 2015, SOLAR: Tables 1 to 3, Figures 2 and 3, and transfer; Tables 2 and 3 on every collection
# of DATA that has five parts, MQ2008 first.
# NDCG uses LETOR's discount, as in the paper (metric -D letor).

WANG2015 = wang2015-figure2 wang2015-figure3 wang2015-transfer
# Tables 2 and 3 of MQ2008, and of every other collection that was found
OTHERS = $(filter-out MQ2008,$(LETOR))
TABLES += wang2015-table1 wang2015-table2 wang2015-table2-relevant wang2015-table3 wang2015-more \
    wang2015-prank-pair $(foreach c,$(OTHERS),wang2015-table2.$c wang2015-table3.$c wang2015-more.$c \
    wang2015-prank-pair.$c)
MEASURES = ndcg@1 ndcg@5 ndcg@10
ONLINE = prank prank-pair committee solar1 solar2
# what the paper names as future work, and learners of this toolkit beside them
MORE = solar1 solar1-ties solar1-list solar2 solar2-ties solar2-list listnet squared-ndcg
settings.prank = -o -L $(call grade,$(collection))
settings.solar1 = -C 1e-5
settings.solar2 = -C 1e4

# Table 1: queries, features, and documents a query.
$(OUT)/wang2015-table1.tsv: $(LETOR:%=$(OUT)/%.bin) wang2015-table1.paper
	{
	    echo 'collection	queries	features	documents a query	paper queries	paper features	paper documents'
	    for data in $(LETOR); do
	        bin2txt -f svm $(OUT)/$$data.bin | awk -v data=$$data -v OFS='\t' '
	            FILENAME != "-" { if ($$1 == data) paper = $$2 OFS $$3 OFS $$4; next }
	            $$2 != query { query = $$2; queries++ }
	            NF - 2 > width { width = NF - 2 }
	            { documents++ }
	            END { print (data == "MQ2008" ? "$(MQ2008)" : data), queries, width,
	                sprintf("%.2f", documents / queries), (paper == "" ? "-" OFS "-" OFS "-" : paper) }
	            ' wang2015-table1.paper -
	    done
	} > $(new)
	$(save)

# One pass over the queries, in ten orders. Each query is ranked before the learner learns from it.
$(OUT)/wang2015.%.runs: $(OUT)/$$(collection).bin sweep
	./sweep algorithm=$(learner) seed='$(call seeds,$(call upto,$(call size,10,2,10)))' 'replay -s $$seed $< | score | explore |
	    metric -D letor -t $$table -e 16 $(MEASURES) map | feedback-mask -k all |
	    update -a $(learner) $(settings.$(learner))' > $(new)
	$(save)

table2-of = $(if $(filter wang2015-table2 wang2015-more,$1),MQ2008,$(lastword $(subst ., ,$1)))
runs-of = $(foreach a,$2,$(OUT)/wang2015.$(call table2-of,$1).$a.runs)
last-rows = for runs in $(filter %.runs,$^); do \
        ./mean -v by='algorithm t' -v of='$1' $$runs | sed -n '1p; $$p' | cut -f 1,3-; \
    done | awk 'NR == 1 || !/^algorithm/'

$(patsubst %,$(OUT)/%.tsv,$(filter-out %-relevant,$(filter wang2015-table2%,$(TABLES)))): $(OUT)/%.tsv: \
    $$(call runs-of,$$*,$$(ONLINE)) wang2015.tsv compare
	$(call last-rows,$(MEASURES)) > $(new).ours
	./compare -v where=table2 -v data=$(call table2-of,$*) -v called='$(call called,$(call table2-of,$*))' \
	    $(new).ours wang2015.tsv > $(new)
	rm $(new).ours
	$(save)

# The mean and the standard error over the ten orders.
$(patsubst %,$(OUT)/%.tsv,$(filter wang2015-more%,$(TABLES))): $(OUT)/%.tsv: $$(call runs-of,$$*,$$(MORE)) spread
	for runs in $(filter %.runs,$^); do ./spread -v of='$(MEASURES) map' $$runs; done |
	    awk 'NR == 1 || !/^algorithm/' | sed '1s/^algorithm/$(call called,$(call table2-of,$*))/' > $(new)
	$(save)

# prank once more, without the queries that have no relevant document. Each of them counts as 0.
$(OUT)/MQ2008-relevant.bin: $(OUT)/MQ2008.bin
	bin2txt -f svm $< | awk '
	    { query[NR] = $$2; line[NR] = $$0; if ($$1 > 0) relevant[$$2] = 1 }
	    END { for (i = 1; i <= NR; i++) if (query[i] in relevant) print line[i] }' |
	    svm2bin -d 46 > $(new)
	$(save)

$(OUT)/wang2015.MQ2008.prank.relevant: $(OUT)/MQ2008-relevant.bin sweep
	./sweep algorithm=prank seed='$(call seeds,$(call upto,$(call size,10,2,10)))' 'replay -s $$seed $< | score | explore |
	    metric -r -D letor -t $$table $(MEASURES) | feedback-mask -k all |
	    update -a prank -o -L 2' > $(new)
	$(save)

$(OUT)/wang2015-table2-relevant.tsv: $(OUT)/wang2015.MQ2008.prank.relevant wang2015.tsv compare
	all=$$(bin2txt -f head $(OUT)/MQ2008.bin | grep -c .)
	./mean -v by='algorithm t' -v of='$(MEASURES:%=%:sum)' $< | sed -n '1p; $$p' | cut -f 1,3- |
	    awk -F '\t' -v OFS='\t' -v all=$$all 'NR == 1 { gsub(/:sum/, "") }
	    NR > 1 { for (i = 2; i <= NF; i++) $$i /= all } { print }' > $(new).ours
	sed -n '1p; /	prank	/p' wang2015.tsv |
	    ./compare -v where=table2 -v data=MQ2008 -v called='$(MQ2008)' $(new).ours - > $(new)
	rm $(new).ours
	$(save)

$(OUT)/wang2015-figure2.tsv: $(foreach c,$(LETOR),$(ONLINE:%=$(OUT)/wang2015.$c.%.runs))
	{
	    printf '# %s\n' 'title Wang et al. 2015, Figure 2: MAP of one pass$(if $(OTHERS),,$(comma) $(MQ2008))' \
	        'x queries seen' 'y MAP so far'
	    echo 'panel	series	t	map'
	    for data in $(LETOR); do for a in $(ONLINE); do
	        ./mean -v by='algorithm t' -v of=map $(OUT)/wang2015.$$data.$$a.runs |
	            sed "1d; s/^/$$data	/" | sed 's/^MQ2008	/$(MQ2008)	/'
	    done; done
	} > $(new)
	$(save)

# Table 3: five folds; three parts to learn from, one to choose the setting, one to evaluate; five orders
# of learning. The README explains short queries, those with fewer than 10 documents.
TRADEOFFS.solar1 = $(call size,3.16e-7 1e-6 3.16e-6 1e-5 3.16e-5 1e-4 3.16e-4,1e-5 1e-4,1e-6 1e-5 1e-4)
TRADEOFFS.solar2 = $(call size,1e3 3.16e3 1e4 3.16e4 1e5 3.16e5 1e6,1e3 1e4,1e3 1e4 1e5)
ORDERS = $(call seeds,$(call upto,$(call size,5,1,1)))

long-of = $(foreach c,$(LETOR),$(PARTS:%=$(OUT)/$c-long%.bin))
$(long-of): $(OUT)/%.bin: $(OUT)/$$(subst -long,-S,$$*).bin
	bin2txt -f svm $< | awk '
	    { query[NR] = $$2; line[NR] = $$0; documents[$$2]++ }
	    END { for (i = 1; i <= NR; i++) if (documents[query[i]] >= 10) print line[i] }' |
	    svm2bin $(call dim,$(firstword $(subst -, ,$*))) > $(new)
	$(save)

# One row for each fold, order and C: MAP on the part that chooses, then the measures on the part that
# evaluates.
long-parts-of = $(PARTS:%=$(OUT)/$1-long%.bin)
$(OUT)/wang2015.%.folds: $$(call parts-of,$$(collection)) $$(call long-parts-of,$$(collection))
	{
	    echo 'algorithm	fold	order	C	t	chosen-by	$(subst $() ,	,$(MEASURES))	ndcg@10-short-0	map'
	    part() { echo $$(((fold - 1 + $$1) % 5 + 1)); }
	    judge() { score -m $(new).w < $(OUT)/$(collection)-$$1.bin | explore | metric -D letor "$${@:2}" | tail -n 1; }
	    for fold in $(PARTS); do
	        learn=$$(for i in 0 1 2; do echo $(OUT)/$(collection)-S$$(part $$i).bin; done)
	        all=$$(bin2txt -f head $(OUT)/$(collection)-S$$(part 4).bin | grep -c .)
	        for order in $(ORDERS); do for C in $(TRADEOFFS.$(learner)); do
	            replay -s $$order $$learn | update -a $(learner) -C $$C > $(new).w
	            echo -n "$(learner)	$$fold	$$order	$$C	1	"
	            echo -n "$$(judge S$$(part 3) map | cut -f 2)	"
	            echo -n "$$(judge S$$(part 4) $(MEASURES) | cut -f 2-)	"
	            echo "$$(judge long$$(part 4) -r ndcg@10 | awk -v all=$$all '{ print $$2 / all }')	$$(judge S$$(part 4) map | cut -f 2)"
	        done; done
	    done
	} > $(new)
	rm $(new).w
	$(save)

# The settings that MAP chooses, one for each fold and order.
chosen-settings = for fold in $(PARTS); do for order in $(ORDERS); do \
        awk -F '\t' -v fold=$$fold -v order=$$order 'NR == 1 || ($$2 == fold && $$3 == order)' $$folds | \
            ./best -v of=C -v by=chosen-by; \
    done; done | awk 'NR == 1 || !/^algorithm/'
table3-of = $(if $(filter wang2015-table3,$1),MQ2008,$(lastword $(subst ., ,$1)))
folds-of = $(foreach a,solar1 solar2,$(OUT)/wang2015.$(call table3-of,$1).$a.folds)
$(patsubst %,$(OUT)/%.tsv,$(filter wang2015-table3%,$(TABLES))): $(OUT)/%.tsv: $$(call folds-of,$$*) \
    wang2015.tsv compare best
	for folds in $(filter %.folds,$^); do
	    $(chosen-settings) > $(new).chosen
	    ./mean -v by=algorithm -v of='$(MEASURES) ndcg@10-short-0' $(new).chosen
	done | awk 'NR == 1 || !/^algorithm/' > $(new).ours
	./compare -v where=table3 -v data=$(call table3-of,$*) -v called='$(call called,$(call table3-of,$*))' \
	    $(new).ours wang2015.tsv > $(new)
	rm $(new).ours $(new).chosen
	$(save)

# Figure 3: seconds of processor time against the number of queries, of 19 documents, 46 features and
# grades 0 to 2. Also for liblinear, an SVM on the differences of pairs, if liblinear-tools is installed.
SIZES = $(call size,100 300 1000 3000 10000 30000 100000,100 300,1000 10000)
SVM_SIZES = $(call size,100 200 500 1000 2000,100 200,100 200)
LIBLINEAR = $(shell command -v liblinear-train)
likeness = -l 19 -d 46 -L 2 linear
TIMEFORMAT = %U %S
export TIMEFORMAT
seconds = awk '{ print $$1 + $$2 }'

$(OUT)/wang2015.%.times: | ../../bin/rankpipe $(OUT)
	for n in $(SIZES); do
	    echo -n "$*	$$n	"
	    synth -s $(first-seed) -n $$n $(likeness) | { time update -a $* > $(new).w; } 2>&1 | $(seconds)
	done > $(new)
	rm $(new).w
	$(save)

$(OUT)/wang2015.svm.times: pairs | ../../bin/rankpipe $(OUT)
	[ "$(LIBLINEAR)" ] || echo 'Figure 3 of Wang et al. goes without an SVM: no liblinear-train here' >&2
	for n in $(if $(LIBLINEAR),$(SVM_SIZES)); do
	    synth -s $(first-seed) -n $$n $(likeness) | bin2txt -f svm | ./pairs > $(new).pairs
	    echo -n "liblinear	$$n	"
	    { time $(LIBLINEAR) -q -s 3 -c 0.01 $(new).pairs $(new).w > $(new).out; } 2>&1 | $(seconds)
	done > $(new)
	rm -f $(new).pairs $(new).out $(new).w
	$(save)

$(OUT)/wang2015-figure3.tsv: $(foreach a,solar1 solar2 svm,$(OUT)/wang2015.$a.times)
	{
	    printf '# %s\n' 'title Wang et al. 2015, Figure 3: time, synth in the likeness of MQ2008$(if $(LIBLINEAR),, (no liblinear here))' \
	        'x queries learnt from' 'y seconds of one processor' 'log xy'
	    echo 'panel	series	queries	seconds'
	    sed 's/^/synth	/; s/liblinear/batch pairwise SVM (liblinear)/' $^
	} > $(new)
	$(save)

# Transfer: a learner continues from weights learnt on another collection, or starts anew. The two
# collections are MQ2008 and MSLR, with the features of MSLR in the places of those of MQ2008. Without
# them they are two of synth, with more noise and with less, and the same hidden ranker.
ifneq ($(and $(HAS_MQ2008),$(HAS_MSLR)),)
ONE = MQ2008
OTHER = MSLR
$(OUT)/transfer-one.bin: $(OUT)/MQ2008.bin
	features scale < $< > $(new)
	$(save)
$(OUT)/transfer-other.bin: $(sort $(HAS_MSLR)) mslr-as-mq2008 | ../../bin/rankpipe $(OUT)
	cat $(sort $(HAS_MSLR)) | ./mslr-as-mq2008 | svm2bin -n -d 46 > $(new)
	$(save)
else
ONE = synth, noise 1
OTHER = synth, noise 2
$(OUT)/transfer-one.bin: | ../../bin/rankpipe $(OUT)
	synth -s $(first-seed) -n 784 -l 19 -d 46 -L 2 -S 1 linear > $(new)
	$(save)
$(OUT)/transfer-other.bin: | ../../bin/rankpipe $(OUT)
	synth -s $(first-seed) -n 89 -l 102 -d 46 -S 2 linear > $(new)
	$(save)
endif

$(OUT)/wang2015.%.transfer: $(OUT)/transfer-one.bin $(OUT)/transfer-other.bin
	transfer() { # from, to, what to call it
	    for seed in $(call seeds,$(call upto,$(call size,10,2))); do for start in anew carried; do
	        rm -f $(new).w
	        [ $$start = anew ] || replay -s $$seed $$1 | update -a $* $(settings.$*) -m $(new).w
	        loop "replay -s $$seed $$2 | score | explore | metric -D letor -t $(new).table -e 8 ndcg@10 |
	            feedback-mask -k all | update -a $* $(settings.$*) -m $(new).w"
	        sed "s/^t	/way	learner	start	&/; s/^[0-9]/$$3	$*	$$start	&/" $(new).table
	    done; done
	}
	{
	    transfer $(word 2,$^) $< 'from $(OTHER) to $(ONE)'
	    transfer $< $(word 2,$^) 'from $(ONE) to $(OTHER)'
	} | awk 'NR == 1 || !/^way/' > $(new)
	rm $(new).w $(new).table
	$(save)

$(OUT)/wang2015-transfer.tsv: $(OUT)/wang2015.solar1.transfer $(OUT)/wang2015.solar2.transfer
	{
	    printf '# %s\n' 'title Wang et al. 2015, transfer: weights of another collection' \
	        'x queries seen' 'y mean NDCG@10 so far'
	    echo 'panel	series	t	ndcg@10'
	    ./mean -v by='way learner start t' -v of=ndcg@10 $^ |
	        sed '1d; s/	anew	/, begun anew	/; s/	carried	/, carried on	/'
	} > $(new)
	$(save)
