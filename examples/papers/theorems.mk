# The impossibility theorems, Chaudhuri & Tewari 2015, Theorem 12, for AUC and MAP, and Chaudhuri & Tewari 2016,
# Theorem 5.2, for NDCG: games in which no learner with one label a round comes near the best fixed
# ranking, under at least one of two laws. For comparison, a game that can be won.

THEOREMS = ct2015-theorem12 ct2015-theorem12-map ct2016-theorem5.2
THEOREMS_ENDS = $(call size,1000 2000 4000 8000 16000 32000 64000,500 1000,1000 16000)
THEOREMS_SEEDS = $(call seeds,$(call upto,$(call size,10,2,5)))

# of a target GAME.LEARNER.regret: the game, the policy, the places with feedback, the learner
game = $(word 1,$(subst ., ,$*))
player = $(word 2,$(subst ., ,$*))
players = squared-1 ftpl-1 listnet-all ftpl-all
places = $(lastword $(subst -, ,$(player)))
showing.squared-1 = -T $$T
showing.ftpl-1 = -p blocks -T $$T
showing.listnet-all =
showing.ftpl-all = -p leader -T $$T
learning.squared-1 = squared -T $$T
learning.ftpl-1 = ftpl -G lin
learning.listnet-all = listnet -T $$T
learning.ftpl-all = ftpl -G $(if $(filter auc,$(measure)),auc,ndcg)
measure = $(patsubst .%,%,$(suffix $*))

$(OUT)/%.theorem: sweep | ../../bin/rankpipe $(OUT)
	./sweep game=$(game) player=$(player) T='$(THEOREMS_ENDS)' seed='$(THEOREMS_SEEDS)' \
	    'synth -n $$T -s $$seed $(game) | score | explore $(showing.$(player)) -s $$seed |
	    metric -t $$table -e $$T regret:$(measure) | feedback-mask -k $(places) |
	    update -a $(learning.$(player))' > $(new)
	$(save)

theorem-figure = { \
    printf '\# %s\n' 'title $1' 'x rounds T' 'y mean regret a round, runs of T rounds' 'log xy' \
        'size 1260 480' 'line T^(-1/3) -1/3. ftpl, 1 seen'; \
    printf 'panel\tseries\tT\tregret\n'; \
    ./mean -v by='game player T' -v of=regret:$2 $^ | sed '1d; s/-1	/, 1 seen	/; s/-all	/, all seen	/; \
        s/^hopeless-[a-z]*-q	/hopeless, the other law	/; s/^hopeless-[a-z]*	/hopeless, one law	/; \
        s/^noisy-binary	/a game that can be won	/'; \
    } > $(new); \
    $(save)

theorem-runs = $(foreach g,hopeless-$1 hopeless-$1-q noisy-binary,$(foreach p,$(players),$(OUT)/$g.$p.$1.theorem))

$(OUT)/ct2015-theorem12.tsv: $(filter-out %.listnet-all.auc.theorem,$(call theorem-runs,auc))
	$(call theorem-figure,Chaudhuri & Tewari 2015$(comma) Theorem 12: regret in AUC,auc)

$(OUT)/ct2015-theorem12-map.tsv: $(call theorem-runs,map)
	$(call theorem-figure,Chaudhuri & Tewari 2015$(comma) Theorem 12: regret in MAP,map)

$(OUT)/ct2016-theorem5.2.tsv: $(call theorem-runs,ndcg)
	$(call theorem-figure,Chaudhuri & Tewari 2016$(comma) Theorem 5.2: regret in NDCG,ndcg)
