# Chaudhuri & Tewari, Perceptron-like Algorithms for Online Learning to Rank: what the theorems bound,
# beside the bounds; and the adversary of Theorem 9.

BOUNDED_SEEDS = $(call seeds,$(call upto,$(call size,5,1,2)))
BOUNDED_T = $(call size,10000,300,2000)
ADVERSARY_T = $(call size,25,5,25)
ADVERSARY_DOCS = 5
DETERMINISTIC = 'slam -e 1' 'slam-ap -e 1' minimax 'solar1 -o' 'solar2 -o' 'prank-pair -o' 'committee -o' \
    'listnet -e 0.1' 'ranksvm -e 0.1' 'squared -e 0.1'

# The loss of each query, from the table of `metric -r -e 1 -z 1`.
losses = awk -F '\t' 'NR > 1 { lost = $$3 - $$2; printf "%.12g\n", lost - had; had = lost }' $1

# $(OUT)/bounded.DATA.LEARNER.MEASURE: the learner in one pass over a collection, or over synth's queries, in
# line order where scores tie, and its bound. u is learnt by listnet from the same queries, or is the
# ranker of separable queries, which has the margin 0.1. synth's queries are drawn once for each seed: twos-1, twos-2.
parts = $(subst ., ,$*)
bounded.data = $(word 1,$(parts))
bounded.game = $(call drawn-game,$(bounded.data))
bounded.learner = $(word 2,$(parts))
bounded.measure = $(subst top,@,$(word 3,$(parts)))
bounded.k = $(word 2,$(subst @, ,$(bounded.measure)))
game.separable = -n $(BOUNDED_T) separable
game.twos = -n $(BOUNDED_T) -l 2 -L 1 linear
game.margin = -n $(BOUNDED_T) -l 2 -L 1 separable
games = $(foreach g,$1,$(foreach s,$(BOUNDED_SEEDS),$g-$s))
$(patsubst %,$(OUT)/%.bin,$(call games,twos margin separable)): $(OUT)/%.bin: | ../../bin/rankpipe $(OUT)
	synth -s $(call drawn-seed,$*) $(game.$(call drawn-game,$*)) > $(new)
	$(save)

# Queries of five documents that a ranker of length 1 ranks right by a margin of 1, except that each hundredth has its
# labels moved by one place.
$(patsubst %,$(OUT)/%.bin,$(call games,noisy)): $(OUT)/%.bin: | ../../bin/rankpipe $(OUT)
	synth -s $(call drawn-seed,$*) -n $(BOUNDED_T) -l 5 -L 1 -M 1 -S 0.1 -d 5 separable | bin2txt -f svm | awk '
	    { label[NR] = $$1; sub(/^[^ ]* /, ""); rest[NR] = $$0 }
	    NR % 5 == 0 {
	        wrong = ++queries % 100 == 0
	        for (i = NR - 4; i <= NR; i++) print label[wrong ? i < NR ? i + 1 : NR - 4 : i], rest[i]
	    }' | svm2bin > $(new)
	$(save)

bounded.queries = $(if $(filter quick,$(SIZE)),replay -n 40,replay)
$(OUT)/bounded.%: $(OUT)/$$(bounded.data).bin bounds
	loop "$(bounded.queries) $< | score | explore -o | metric -r -e 1 -z 1 -t $(new).table $(bounded.measure) |
	    feedback-mask -k all | update -a $(bounded.learner) $(if $(filter slam,$(bounded.learner)),-e 0.1 \
	    $(if $(bounded.k),-k $(bounded.k)),$(if $(filter slam-ap,$(bounded.learner)),-e 0.1))" > $(new).w
	$(call losses,$(new).table) > $(new).losses
	replay -n $(call size,20000,500,5000) -s $(first-seed) $< | update -a listnet -e 0.01 | bin2txt |
	    awk '$$1 == "w" { print $$2, $$3 }' > $(new).u
	$(bounded.queries) $< | bin2txt -f svm | ./bounds -v loss=$(if $(filter twos margin,$(bounded.game)),pairs,$(bounded.learner)) \
	    -v k=$(or $(bounded.k),0) -v margin=$(if $(filter separable margin,$(bounded.game)),0.1,0) \
	    $(new).u $(new).losses - > $(new)
	rm $(new).table $(new).w $(new).losses $(new).u
	$(save)

# of a claim's .values: the loss, or the mistakes, and the bound, under a name
# room: the least 1 - loss / bound of them
room = awk -F '\t' -v OFS='\t' '{ print } $$1 !~ /bound$$/ { lost = $$2; next } \
    { room = 1 - lost / $$2; if (!n++ || room < least) least = room } END { printf "room\t%.3g\n", least }'
mistakes-of = awk -F '\t' '$$1 == "mistakes" || $$1 == "bound"' $1
# of a game and a learner, the draws of users; and of such draws, what is averaged, then the room of the worst
drawn = $(foreach s,$(BOUNDED_SEEDS),$(OUT)/bounded.$1-$s.$2)
averaged = ./draws -v prefix=$1 -v of='$2 bound' $3
worst-room = awk -F '\t' '$$1 == "$1" || $$1 == "bound"' $2 | $(room) | tail -n 1
# where no weights rank all queries right: the loss, the rounds with a mistake, and the bound known before the run
noisy-of = ./draws -v prefix=$1noisy- -v of='loss mistakes ahead' $(call drawn,noisy,$2)
mistakes-in = awk -F '\t' '$$1 == "mistakes" { print "$1mistakes\t" $$2 }' $2
bound-of = awk -F '\t' '$$1 == "loss" || $$1 == "bound" { print "$1" $$1 "\t" $$2 }' $2
# Losses and bounds of MQ2008 and MSLR; room is that of all collections found.
HAS_LAMBDARANK = $(wildcard $(DATA:%=%/lambdarank/train.txt) $(DATA:%=%/lambdarank/test.txt))
$(OUT)/lambdarank.bin: $(HAS_LAMBDARANK) | ../../bin/rankpipe $(OUT)
	svm2bin -n $(HAS_LAMBDARANK) > $(new)
	$(save)
COLLECTIONS = $(LETOR) MSLR $(if $(HAS_LAMBDARANK),lambdarank)
bounded = $(foreach c,$(COLLECTIONS),$(OUT)/bounded.$c.$1)
collected = $(foreach c,$(COLLECTIONS),$(call bound-of,$c-,$(OUT)/bounded.$c.$1);)
named = | $(room) | grep -E '^(ndcg-|ap-)?(MQ2008-|MSLR-|room)'

$(OUT)/perceptrons-theorem1.values: $(call drawn,twos,minimax.ndcg) | draws
	{ $(call averaged,,mistakes,$^); $(call worst-room,mistakes,$^); } > $(new)
	$(save)
$(OUT)/perceptrons-corollary2.values: $(call drawn,margin,minimax.ndcg) | draws
	{ $(call averaged,,mistakes,$^); $(call worst-room,mistakes,$^); } > $(new)
	$(save)
$(OUT)/perceptrons-corollary7.values: $(call drawn,separable,slam.ndcg) $(call drawn,separable,slam-ap.map) | draws
	{
	    $(call averaged,ndcg-,loss,$(filter %.ndcg,$^))
	    $(call averaged,ap-,loss,$(filter %.map,$^))
	    $(call worst-room,loss,$^)
	} > $(new)
	$(save)
$(OUT)/perceptrons-corollary11.values: $(call drawn,separable,minimax.ndcg) | draws
	{ $(call averaged,,loss,$^); $(call worst-room,loss,$^); } > $(new)
	$(save)
$(OUT)/perceptrons-theorem6.values: $(call bounded,slam.ndcg) $(call bounded,slam-ap.map) \
    $(call drawn,noisy,slam.ndcg) $(call drawn,noisy,slam-ap.map) | draws
	{
	    { $(call collected,slam.ndcg) } | sed 's/^/ndcg-/'
	    { $(call collected,slam-ap.map) } | sed 's/^/ap-/'
	} $(named) > $(new)
	$(call mistakes-in,ndcg-MQ2008-,$(OUT)/bounded.MQ2008.slam.ndcg) >> $(new)
	$(call mistakes-in,ndcg-MSLR-,$(OUT)/bounded.MSLR.slam.ndcg) >> $(new)
	{ $(call noisy-of,ndcg-,slam.ndcg); $(call noisy-of,ap-,slam-ap.map); } >> $(new)
	$(save)
$(OUT)/perceptrons-theorem8.values: $(call bounded,slam.ndcgtop10) $(call drawn,noisy,slam.ndcgtop2) | draws
	{ $(call collected,slam.ndcgtop10) } $(named) > $(new)
	$(call mistakes-in,MQ2008-,$(OUT)/bounded.MQ2008.slam.ndcgtop10) >> $(new)
	$(call mistakes-in,MSLR-,$(OUT)/bounded.MSLR.slam.ndcgtop10) >> $(new)
	$(call noisy-of,,slam.ndcgtop2) >> $(new)
	$(save)
$(OUT)/perceptrons-theorem10.values: $(call bounded,minimax.ndcg) $(call drawn,noisy,minimax.ndcg) | draws
	{ $(call collected,minimax.ndcg) } $(named) > $(new)
	$(call mistakes-in,MQ2008-,$(OUT)/bounded.MQ2008.minimax.ndcg) >> $(new)
	$(call mistakes-in,MSLR-,$(OUT)/bounded.MSLR.minimax.ndcg) >> $(new)
	$(call noisy-of,,minimax.ndcg) >> $(new)
	$(save)

# Section 4.2, the Lipschitz constant, and v_max: one step from w = 0 of a list whose document i has the feature i,
# so that the step is the gradient by the scores. The first document has grade 0, then n, then 1s, as v_max needs.
step-of-list = svm2bin | update -a slam -e 1 | bin2txt | awk '$$1 == "w" { print $$2, $$3 }'
LISTS = $(call size,200,10,50)
$(OUT)/perceptrons-lipschitz.values: | ../../bin/rankpipe $(OUT)
	for list in $(call seeds,$(call upto,$(LISTS))); do
	    awk -v seed=$$list 'BEGIN {
	        srand(seed)
	        m = 2 + int(30 * rand())
	        relevant = rand() # one relevant document, or many of grades 0 to 4
	        for (i = 1; i <= m; i++) print (relevant < 0.2 ? i == m : int(5 * rand())), "qid:1", i ":1"
	    }' | $(step-of-list) | awk '{ square += $$2 ^ 2; sum += $$2 < 0 ? -$$2 : $$2 } END { print sqrt(square), sum }'
	done | awk '$$1 > two { two = $$1 } $$2 > one { one = $$2 } END { printf "norm-2\t%.6g\nnorm-1\t%.6g\n", two, one }' > $(new)
	$(save)
# apart: the largest distance, as a part, of v_max from (2^n - 1) log2(m), m the documents with the one of grade 0
$(OUT)/perceptrons-vmax.values: | ../../bin/rankpipe $(OUT)
	for n in 1 4; do for m in 10 100 1000; do
	    awk -v n=$$n -v m=$$m 'BEGIN { for (i = 1; i <= m; i++) print (i == 1 ? 0 : i == 2 ? n : 1), "qid:1", i ":1" }' |
	        $(step-of-list) | awk -v n=$$n -v m=$$m -v OFS='\t' '
	            $$2 > most { most = $$2 } { last = $$2 } END { print "grade-" n "-of-" m, most / last }'
	done; done | awk -F '\t' -v OFS='\t' '
	    { split($$1, part, "-"); d = $$2 / ((2 ^ part[2] - 1) * log(part[4]) / log(2)) - 1; if (d < 0) d = -d }
	    d > most { most = d }
	    { printf "%s\t%.4g\n", $$1, $$2 }
	    END { printf "apart\t%.2g\n", most + 0 }' > $(new)
	$(save)

# The step size: queries of one pass that are shown in another order with eta 8 than with eta 1/128, and NDCG.
$(OUT)/perceptrons-eta.values: $(OUT)/MQ2008.bin
	for learner in slam minimax; do
	    for eta in 0.0078125 8; do
	        rm -f $(new).ring
	        mkfifo $(new).ring
	        score -f $(new).ring < $< | explore -o | tee $(new).$$eta | feedback-mask -k all |
	            update -a $$learner -e $$eta -f $(new).ring > $(new).w
	        bin2txt -f rank $(new).$$eta | awk '$$3 == 1 && q { print list; list = "" } { q = $$2; list = list " " $$4 }
	            END { print list }' > $(new).order.$$eta
	        echo "$$learner-$$eta	$$(metric ndcg@10 < $(new).$$eta | tail -n 1 | awk '{ printf "%.4f", $$2 }')"
	    done
	    paste -d '|' $(new).order.0.0078125 $(new).order.8 | awk -F '|' -v l=$$learner '$$1 != $$2 { n++ }
	        END { print l "-differ\t" n + 0 "\n" l "-queries\t" NR }'
	done > $(new)
	rm $(new).*
	$(save)

# Losses and bounds as a table. Where no weights rank all queries right, the bound known before the run is least for
# its own u.
TABLES += perceptrons-bounds
NOISY_RUNS = $(foreach l,slam.ndcg slam.ndcgtop2 slam-ap.map minimax.ndcg,$(call drawn,noisy,$l))
BOUNDED_RUNS = $(foreach c,MQ2008 MSLR,$(foreach l,slam.ndcg slam.ndcgtop10 slam-ap.map minimax.ndcg,$(OUT)/bounded.$c.$l))
$(OUT)/perceptrons-bounds.tsv: $(BOUNDED_RUNS) $(NOISY_RUNS) | draws
	{
	    echo '1 pass	loss of	loss	rounds with a mistake	bound	rounds	bound before the run'
	    awk -F '\t' -v OFS='\t' '
	        { v[$$1] = $$2 }
	        $$1 == "ahead" {
	            n = split(FILENAME, part, ".")
	            sub("top", "@", part[n])
	            print part[n - 2], part[n - 1] ", " toupper(part[n]), v["loss"], v["mistakes"], v["bound"], v["queries"], $$2
	        }' $(BOUNDED_RUNS) | $(call-by-name)
	    for l in slam.ndcg slam.ndcgtop2 slam-ap.map minimax.ndcg; do
	        ./draws -v of='loss mistakes bound queries ahead' $(OUT)/bounded.noisy-*.$$l | awk -F '\t' -v l=$$l '
	            { cell[$$1] = $$1 == "queries" ? $$2 : sprintf("%.1f +- %.1f", $$2, $$3) }
	            END {
	                split(l, part, ".")
	                sub("top", "@", part[2])
	                print "noisy\t" part[1] ", " toupper(part[2]) "\t" cell["loss"] "\t" cell["mistakes"] "\t" \
	                    cell["bound"] "\t" cell["queries"] "\t" cell["ahead"]
	            }'
	    done
	} > $(new)
	$(save)

# learners: how many; right: rounds that the theorem's weights rank right, over all learners; apart: the
# largest distance of a loss from the floor.
$(OUT)/adversary.tsv: adversary | ../../bin/rankpipe $(OUT)
	./adversary $(ADVERSARY_T) $(ADVERSARY_DOCS) $(DETERMINISTIC) > $(new)
	$(save)
$(OUT)/perceptrons-theorem9.values: $(OUT)/adversary.tsv
	awk -F '\t' 'NR > 1 {
	        if ($$2 - $$3 > apart) apart = $$2 - $$3
	        if ($$4 - $$5 > apart) apart = $$4 - $$5
	        if ($$2 < $$3 || $$4 < $$5) below++
	        right += $$6
	        ndcg = $$3; ap = $$5
	    }
	    END {
	        printf "learners\t%d\nfloor-ndcg\t%s\nfloor-ap\t%s\napart\t%s\nbelow\t%d\nright\t%d\n", NR - 1, ndcg, ap,
	            apart + 0, below, right / (NR - 1)
	    }' $< > $(new)
	$(save)

# Figures 1 to 3: where the curves end.
lost = awk -F '\t' -v OFS='\t' 'NR == 1 { $$(NF + 1) = "lost" } NR > 1 { $$(NF + 1) = 1 - $$NF } { print }'
end-of = ./estimate -v name=$1 -v of=lost -v x=t
$(OUT)/perceptrons-figure1.values: $(foreach a,slam minimax listnet,$(OUT)/separable.$a.grid) best estimate
	{
	    for learner in slam minimax; do
	        ./best -v of=eta -v by=ndcg@10 $(OUT)/separable.$$learner.grid | $(lost) > $(new).lost
	        $(call end-of,$$learner) $(new).lost
	        $(call end-of,slope-$$learner) -v slope=1 -v from=200 $(new).lost
	    done
	    $(lost) $(OUT)/separable.listnet.grid | $(call end-of,listnet) -v where=eta=1e-2 -
	} > $(new)
	rm $(new).lost
	$(save)

learners-end = for learner in slam minimax listnet; do \
    for data in 'MQ2008	$(MQ2008)' 'MSLR	$(MSLR)'; do \
        printf "$${data%	*}-$$learner\t"; \
        ./pick -v panel="$${data\#*	}" -v series="$$learner,*" $< | awk '{ printf "%.3f\n", $$1 }'; \
    done; done
$(OUT)/perceptrons-figure2.values: $(OUT)/perceptrons-figure2.tsv
	$(learners-end) > $(new)
	$(save)
$(OUT)/perceptrons-figure3.values: $(OUT)/perceptrons-figure3.tsv
	$(learners-end) > $(new)
	$(save)

# Section 9: kernels on a budget, on clusters that no line tells apart: $(OUT)/kernels.CUTOFF.SEED is one run and its
# bound. Cutoff 0 is Algorithm 3, which keeps pairs. left: members that have left the budget.
KERNEL_BUDGET = 100
KERNEL_T = $(call size,4000,300,2500)
KERNEL_SEEDS = $(call seeds,$(call upto,$(call size,10,2,4)))
kernel-runs = $(KERNEL_SEEDS:%=$(OUT)/kernels.$1.%)
$(OUT)/kernels.%: clusters kernel-bound | ../../bin/rankpipe $(OUT)
	cutoff=$(word 1,$(parts)) seed=$(word 2,$(parts)) measure=ndcg lists=
	if [ $$cutoff -gt 0 ]; then
	    measure=ndcg@$$cutoff
	    lists=,cutoff=$$cutoff,margin=$$(awk 'BEGIN { printf "%.6g", sqrt(8 * $(KERNEL_BUDGET)) * (exp(-0.25) - exp(-9)) }')
	fi
	./clusters -v T=$(KERNEL_T) -v seed=$$seed > $(new).txt
	svm2bin $(new).txt > $(new).bin
	loop "replay $(new).bin | score | explore -o | metric -r -e 1 -z 1 -t $(new).table $$measure | feedback-mask -k all |
	    update -x none -a kernel,size=$(KERNEL_BUDGET),seed=$$seed$$lists" > $(new).w
	$(call losses,$(new).table) > $(new).losses
	./kernel-bound -v N=$(KERNEL_BUDGET) -v cutoff=$$cutoff $(new).losses $(new).txt > $(new)
	rm $(new).*
	$(save)

# The bounds are of means over the draws of the budget. room: the least 1 - mean / bound
$(OUT)/perceptrons-kernels.values: $(foreach c,0 1 2,$(call kernel-runs,$c)) | draws
	{
	    ./draws -v prefix=pairs- $(call kernel-runs,0)
	    ./draws -v prefix=cutoff-1- $(call kernel-runs,1)
	    ./draws -v prefix=cutoff-2- $(call kernel-runs,2)
	} > $(new).all
	awk -F '\t' '{ print; v[$$1] = $$2 }
	    $$1 ~ /-bound$$/ {
	        of = $$1
	        sub(/mistakes-bound$$/, "mistakes", of) || sub(/bound$$/, "loss", of)
	        room = 1 - v[of] / $$2
	        if (!n++ || room < least) least = room
	    }
	    END { printf "room\t%.3g\n", least }' $(new).all > $(new)
	rm $(new).all
	$(save)
