# Chaudhuri & Tewari, Perceptron-like Algorithms for Online Learning to Rank, section 8: Figure 1 on the
# separable data set, Figures 2 and 3 on MQ2008 and the sample of MSLR (the paper: MSLR-WEB10K, Yahoo,
# Yandex). As in the paper, each learner uses the eta of a grid that ends best.

PERCEPTRONS = perceptrons-figure1 perceptrons-figure2 perceptrons-figure3
PERCEPTRONS_ETAS = $(call size,1e-5 1e-4 1e-3 1e-2 1e-1 1 10,1e-2 1,1e-3 1e-2)
SEPARABLE_ETAS = $(call size,1e-3 1e-2 1e-1 1 10 100,1e-2 1,1e-2 1 10)
SEPARABLE_T = $(call size,10000,500,10000)
SEPARABLE_SEEDS = $(call seeds,$(call upto,$(call size,5,1,2)))
PERCEPTRONS_T = $(call size,50000,500,5000)
PERCEPTRONS_EACH = $(call size,1000,50,1000)
# seeds of the curves of Figures 2 and 3 (the grid uses the first seed)
PERCEPTRONS_FRESH = $(call seeds,$(call size,2 3 4,2,2))

$(OUT)/separable.%.grid: sweep | ../../bin/rankpipe $(OUT)
	./sweep learner=$* eta='$(SEPARABLE_ETAS)' seed='$(SEPARABLE_SEEDS)' \
	    'synth -n $(SEPARABLE_T) -s $$seed separable | score | explore |
	    metric -t $$table ndcg@10 | feedback-mask -k all | update -a $$learner -e $$eta' > $(new)
	$(save)

$(OUT)/perceptrons.%.grid: $(OUT)/$$(collection).bin sweep
	./sweep data=$(collection) learner=$(learner) eta='$(PERCEPTRONS_ETAS)' \
	    'replay -n $(PERCEPTRONS_T) -s $(first-seed) $< | score | explore -s $(first-seed) |
	    metric -t $$table -e $(PERCEPTRONS_EACH) ndcg@10 map | feedback-mask -k all |
	    update -a $$learner -e $$eta' > $(new)
	$(save)

# ListNet also at the eta of its regret bound, T^(-1/2).
$(OUT)/perceptrons-figure1.tsv: $(foreach a,slam minimax listnet,$(OUT)/separable.$a.grid)
	{
	    printf '# %s\n' 'title Chaudhuri & Tewari (perceptrons), Figure 1: the separable data set' \
	        'x round t' 'y 1 - mean NDCG@10 so far' 'log xy' \
	        'line t^(-1/2) -1/2. listnet, eta 1e-2'
	    echo 'panel	series	t	ndcg@10'
	    for runs in $^; do
	        ./best -v of=eta -v by=ndcg@10 $$runs > $(new).best
	        ./mean -v by='learner eta t' -v of=ndcg@10 $(new).best | sed 1d
	    done > $(new).drawn
	    ./mean -v by='learner eta t' -v of=ndcg@10 $(OUT)/separable.listnet.grid |
	        awk -F '\t' '$$2 == "1e-2"' >> $(new).drawn
	    awk -F '\t' -v OFS='\t' '{ print "synth separable", $$1 ", eta " $$2, $$3, 1 - $$4 }' $(new).drawn
	    rm $(new).best $(new).drawn
	} > $(new)
	$(save)

# The etas that end best in AP and in NDCG@10, run again in other orders of the same queries.
eta-of = ./best -v of=eta -v by=$1 $2 | awk -F '\t' 'NR == 2 { print $$3 }'
$(OUT)/perceptrons.%.fresh: $(OUT)/perceptrons.%.grid $(OUT)/$$(collection).bin sweep best
	etas=$$(for by in map ndcg@10; do $(call eta-of,$$by,$<); done | sort -u | paste -sd ' ')
	./sweep data=$(collection) learner=$(learner) eta="$$etas" seed='$(PERCEPTRONS_FRESH)' \
	    'replay -n $(PERCEPTRONS_T) -s $$seed $(OUT)/$(collection).bin | score | explore -s $$seed |
	    metric -t $$table -e $(PERCEPTRONS_EACH) ndcg@10 map | feedback-mask -k all |
	    update -a $$learner -e $$eta' > $(new)
	$(save)

# of a .fresh table, the rows of the eta that its grid chose by a measure
chosen-by = eta=$$($(call eta-of,$1,$${runs%.fresh}.grid)); awk -F '\t' -v eta="$$eta" 'NR == 1 || $$3 == eta' $$runs

# Figures 2 and 3 differ in the measure that is drawn and that chooses eta.
perceptrons-figure = { \
    printf '\# %s\n' 'title Chaudhuri & Tewari (perceptrons), Figure $1: mean $3, each at the eta chosen with another seed' \
        'x round t' 'y mean $3 so far'; \
    printf 'panel\tseries\tt\t$2\n'; \
    for runs in $^; do \
        $(call chosen-by,$2) > $(new).best; \
        ./mean -v by='data learner eta t' -v of=$2 $(new).best | \
            awk -F '\t' -v OFS='\t' 'NR > 1 { print $$1, $$2 ", eta " $$3, $$4, $$5 }' | $(call-by-name); \
    done; \
    rm $(new).best; \
    } > $(new); \
    $(save)

PERCEPTRONS_LEARNERS = slam-ap slam minimax listnet
perceptrons-runs = $(foreach c,$1,$(PERCEPTRONS_LEARNERS:%=$(OUT)/perceptrons.$c.%.fresh))
PERCEPTRONS_RUNS = $(call perceptrons-runs,MQ2008 MSLR)
PERCEPTRONS_DRAWN = $(PERCEPTRONS_RUNS) $(call perceptrons-runs,$(LARGE))
$(OUT)/perceptrons-figure2.tsv: $(PERCEPTRONS_DRAWN)
	$(call perceptrons-figure,2,map,AP)

$(OUT)/perceptrons-figure3.tsv: $(PERCEPTRONS_DRAWN)
	$(call perceptrons-figure,3,ndcg@10,NDCG@10)

# Where the curves end: means and standard errors over the seeds.
TABLES += perceptrons-table
$(OUT)/perceptrons-table.tsv: $(PERCEPTRONS_RUNS) spread
	{
	    echo 'learner	MQ2008 AP	NDCG@10	MSLR AP	NDCG@10	the paper'"'"'s MSLR-WEB10K AP	NDCG@10'
	    for learner in $(PERCEPTRONS_LEARNERS); do
	        printf %s $$learner
	        for runs in $(OUT)/perceptrons.{MQ2008,MSLR}.$$learner.fresh; do
	            for by in map ndcg@10; do
	                $(call chosen-by,$$by) > $(new).best
	                ./spread -v of=$$by $(new).best | awk -F '\t' 'NR == 2 { printf "\t%s", $$2 }'
	            done
	        done
	        case $$learner in
	        slam) echo '	0.49	0.25' ;;
	        listnet) echo '	0.37	0.22' ;;
	        *) echo '		' ;;
	        esac
	    done
	} > $(new)
	rm $(new).best
	$(save)
