# Chaudhuri & Tewari 2016: its lemmas and theorems, one by one. Figure 1 and the runs of Theorem 4.1 are in
# ct2016.mk. A file ID.values has the numbers that results.tsv states.

TABLES += ct2016-figure1-table ct2016-smoothdcg ct2016-theorem4.1-table

# Lemmas 2 and 3: which gradients are sums over one relevance at a time, over two, or over three.
DECOMPOSED = squared kl smoothdcg ranksvm listnet squared-ndcg
$(OUT)/%.decompose: decompose | ../../bin/rankpipe $(OUT)
	./decompose $* $(if $(filter smoothdcg,$*),-E 1 -k 3) > $(new)
	$(save)

decompositions = awk '{ n = split(FILENAME, part, "[/.]"); print part[n - 1] "-" $$1 "\t" $$2 }' $1

$(OUT)/ct2016-lemma2.values: $(foreach a,squared kl smoothdcg ranksvm,$(OUT)/$a.decompose)
	$(call decompositions,$^) | grep -v -e -4 > $(new)
	$(save)

$(OUT)/ct2016-lemma3.values: $(foreach a,listnet squared-ndcg,$(OUT)/$a.decompose)
	$(call decompositions,$^) > $(new)
	$(save)

# Lemma 4, for p = 2: |X'v| / |v|_1 for random v, as a part of the longest row; the unit vectors reach it.
$(OUT)/ct2016-lemma4.values: $(OUT)/MQ2008.bin
	bin2txt -f svm $< | awk -v each=$(call size,100,5,20) '
	    function finish(    i, j, k, sum, one, norm, longest, unit, ratio) {
	        for (i = 1; i <= m; i++) {
	            sum = 0
	            for (j = 1; j <= 46; j++) sum += x[i, j] ^ 2
	            if (sum > longest) longest = sum
	        }
	        for (k = 1; k <= each && longest > 0; k++) {
	            one = norm = 0
	            for (i = 1; i <= m; i++) {
	                v[i] = (rand() - 0.5) * (rand() < 0.2 || i == 1)
	                one += v[i] < 0 ? -v[i] : v[i]
	            }
	            for (j = 1; j <= 46; j++) {
	                sum = 0
	                for (i = 1; i <= m; i++) if (v[i]) sum += v[i] * x[i, j]
	                norm += sum ^ 2
	            }
	            ratio = sqrt(norm / longest) / one
	            if (ratio > most) most = ratio
	        }
	        m = 0
	        split("", x)
	    }
	    BEGIN { srand($(first-seed)) }
	    $$2 != query { finish(); query = $$2; queries++ }
	    queries <= 100 { m++; for (i = 3; i <= NF; i++) { split($$i, part, ":"); x[m, part[1]] = part[2] } }
	    END { printf "ratio\t%.6f\n", most }' > $(new)
	$(save)

# Lemma 5: the mean of |z|^2, measured over gamma, and the bounds C/gamma of the paper's proof. R_D is the
# length of the longest document, m the number of documents of the longest query, and U = 1.
LEMMA5_GAMMAS = $(call size,0.01 0.03 0.1 0.3 0.5,0.5,0.1 0.5)
LEMMA5_T = $(call size,39200,784,7840)
$(OUT)/%.gradients: $(OUT)/MQ2008.bin gradients
	for gamma in $(LEMMA5_GAMMAS); do
	    echo "$$gamma	$$(./gradients $* $(if $(filter ranksvm,$*),2,1) $$gamma 1e-7 $(first-seed) $(LEMMA5_T) $<)"
	done > $(new)
	$(save)

$(OUT)/ct2016-lemma5.tsv: $(OUT)/MQ2008.bin $(BOUNDED:%=$(OUT)/%.gradients)
	{
	    printf '# %s\n' 'title Chaudhuri & Tewari 2016, Lemma 5: the gradient estimate, $(MQ2008)' \
	        'x gamma' 'y mean of |z|^2' 'log xy'
	    echo '# line 1/gamma -1. measured'
	    echo 'panel	series	gamma	square'
	    for a in $(BOUNDED); do
	        awk -v a=$$a -v OFS='\t' '{ print a, "measured", $$1, $$2 }' $(OUT)/$$a.gradients
	    done
	    bin2txt -f svm $< | awk -v gammas='$(LEMMA5_GAMMAS)' -v OFS='\t' '
	        { square = 0 }
	        { for (i = 3; i <= NF; i++) { split($$i, part, ":"); square += part[2] ^ 2 } }
	        square > R2 { R2 = square }
	        $$1 > top { top = $$1 }
	        { if (++docs[$$2] > m) m = docs[$$2] }
	        END {
	            C["squared"] = m ^ 4 * R2 ^ 2 * top ^ 2
	            C["kl"] = m ^ 2 * R2 * exp(2 * (sqrt(R2) > top ? sqrt(R2) : top))
	            C["ranksvm"] = R2 * m ^ 3 * (m - 1)
	            n = split(gammas, gamma, " ")
	            for (a in C) for (i = 1; i <= n; i++)
	                print a, "bound C/gamma, U = 1", gamma[i], C[a] / gamma[i]
	        }'
	} > $(new)
	$(save)

$(OUT)/ct2016-lemma5.values: $(OUT)/ct2016-lemma5.tsv
	{
	    for a in $(BOUNDED); do
	        echo "slope-$$a	$$(./pick -v panel=$$a -v series=measured -v slope=1 $<)"
	        awk -F '\t' -v a=$$a '$$1 == a && $$2 == "measured" { square[$$3] = $$4 }
	            $$1 == a && $$2 ~ /^bound/ { part = square[$$3] / $$4; if (part > most) most = part }
	            END { printf "part-%s\t%.2g\n", a, most }' $<
	    done
	    awk '$$3 > most { most = $$3 } END { print "length\t" most }' $(BOUNDED:%=$(OUT)/%.gradients)
	} > $(new)
	$(save)

# Theorem 4.1: the growth of the regret of the scores drawn, and of the greedy scores.
small-steps = -v panel='$(MQ2008), eta = 0.01 T^(-2/3)'
$(OUT)/ct2016-theorem4.1.values: $(OUT)/ct2016-theorem4.1.tsv
	{
	    for a in $(BOUNDED); do
	        echo "slope-$$a	$$(./pick $(small-steps) -v series="$$a" -v slope=1 $<)"
	        echo "slope-greedy-$$a	$$(./pick $(small-steps) -v series="$$a, greedy scores" -v slope=1 $<)"
	    done
	    at=$$(awk 'BEGIN { FS = "\t" } $$2 == "squared" && $$3 <= 50176 && $$3 > most { most = $$3 }
	        END { print most }' $<)
	    echo "regret	$$(./pick $(small-steps) -v series=squared -v at=$$at $<)"
	    echo "regret-greedy	$$(./pick $(small-steps) -v series='squared, greedy scores' -v at=$$at $<)"
	} > $(new)
	$(save)

# The same as a table: slopes from the first T to the last, and over the last two.
$(OUT)/ct2016-theorem4.1-table.tsv: $(OUT)/ct2016-theorem4.1.tsv
	ends=($(CT2016_PASSES))
	queries=$$(awk -F '\t' '$$2 == "squared" && (!least || $$3 < least) { least = $$3 } END { print least }' $<)
	late=$$((queries / ends[0] * ends[$${#ends[@]} - 2]))
	{
	    echo 'regret of	scores drawn, all T	last T	greedy scores, all T	last T'
	    for a in $(BOUNDED); do
	        for series in "$$a" "$$a, greedy scores"; do
	            ./pick $(small-steps) -v series="$$series" -v slope=1 $<
	            ./pick $(small-steps) -v series="$$series" -v slope=1 -v from=$$late $<
	        done | awk -v a=$$a '{ printf "%s\tT^%.2f", NR == 1 ? a : "", $$1 } END { print "" }'
	    done
	} > $(new)
	$(save)

# Table 1, and Theorems 5.1 and 5.2 on its two laws. Documents have unit features, so weights are scores.
LAWS = p q
law.p = hopeless-ndcg
law.q = hopeless-ndcg-q
LAWS_T = $(call size,100000,1000,20000)
LAWS_SEEDS = $(call seeds,$(call upto,$(call size,10,2,3)))
gains = awk '$$2 != query { finish(); query = $$2 } { gain[++m] = $$1 } END { finish() } \
    function finish(    i, n, Z) { if (!m) return; for (i = 1; i <= m; i++) n += gain[i]; \
        for (i = 1; i <= n; i++) Z += log(2) / log(i + 1); \
        for (i = 1; i <= m; i++) printf "%.9g%s", (n ? gain[i] / Z : 0), (i < m ? "\t" : ""); \
        print ""; m = 0 }'

$(OUT)/ct2016-table1.values: draws | ../../bin/rankpipe $(OUT)
	for law in p q; do
	    game=$$([ $$law = p ] && echo '$(law.p)' || echo '$(law.q)')
	    for seed in $(LAWS_SEEDS); do
	        synth -n $(LAWS_T) -s $$seed $$game | bin2txt -f svm > $(new).law
	        awk -v law=$$law '{ sum[FNR % 3] += $$1 } END { for (i = 1; i <= 3; i++)
	            printf "relevance-%s-%d\t%.6f\n", law, i, 3 * sum[i % 3] / NR }' $(new).law
	        $(gains) $(new).law |
	            awk -v law=$$law '{ for (i = 1; i <= 3; i++) sum[i] += $$i } END { for (i = 1; i <= 3; i++)
	                printf "normalised-%s-%d\t%.6f\n", law, i, sum[i] / NR }'
	    done
	done | ./draws > $(new)
	rm $(new).law
	$(save)

# What squared-ndcg learns from all labels: E[G(R)/Z], the unique minimiser.
$(OUT)/ct2016-theorem5.1.values: draws | ../../bin/rankpipe $(OUT)
	for law in p q; do
	    game=$$([ $$law = p ] && echo '$(law.p)' || echo '$(law.q)')
	    for seed in $(LAWS_SEEDS); do
	        synth -n $(LAWS_T) -s $$seed $$game | update -a squared-ndcg -e $(call size,1e-4,1e-3,5e-4) | bin2txt |
	            awk -v law=$$law '/^w/ { printf "score-%s-%d\t%.6f\n", law, ++i, $$3 }'
	    done
	done | ./draws > $(new)
	$(save)

# The regret a round in |s - G(R)/Z|^2 after T rounds, against the best fixed scores in hindsight, the mean
# of G(R)/Z. The loss is that of the scores drawn, eta is 0.1 T^(-2/3), and 0.1 T^(-1/2) with all labels.
# Scores that do not depend on the law have at least |E_p - E_q|^2 / 4 under one of the two.
SURROGATE_ENDS = $(call size,1000 4000 16000 64000 256000,500,1000 64000)
SURROGATE_SEEDS = $(call seeds,$(call upto,$(call size,10,2,3)))
$(OUT)/surrogate.ends: | ../../bin/rankpipe $(OUT)
	{
	    echo 'law	player	T	seed	regret'
	    for law in p q; do
	        game=$$([ $$law = p ] && echo '$(law.p)' || echo '$(law.q)')
	        for player in 'squared, 1 seen' 'squared-ndcg, all seen'; do
	            for T in $(SURROGATE_ENDS); do for seed in $(SURROGATE_SEEDS); do
	                best=$$(synth -n $$T -s $$seed $$game | bin2txt -f svm | $(gains) | awk '
	                    { for (i = 1; i <= 3; i++) { sum[i] += $$i; square += $$i ^ 2 } }
	                    END { for (i = 1; i <= 3; i++) square -= sum[i] ^ 2 / NR; print square / NR }')
	                case $$player in
	                squared,*) show="-T $$T" places=1 learn=squared power=2/3 ;;
	                *) show='' places=all learn=squared-ndcg power=1/2 ;;
	                esac
	                eta=$$(awk "BEGIN { print 0.1 * exp(-$$power * log($$T)) }")
	                loop "synth -n $$T -s $$seed $$game | score | explore $$show -s $$seed |
	                    metric -t $(new).table -e $$T drawn:loss:squared-ndcg loss:squared-ndcg | feedback-mask -k $$places |
	                    update -a $$learn -e $$eta" > $(new).w
	                awk -v law=$$law -v player="$$player" -v T=$$T -v seed=$$seed -v best=$$best -v OFS='\t' '
	                    NR == 1 { next }
	                    { print law, player, T, seed, $$2 - best }
	                    player ~ /1 seen/ { print law, player ", greedy scores", T, seed, $$3 - best }
	                    ' $(new).table
	            done; done
	        done
	    done
	} > $(new)
	rm $(new).table $(new).w
	$(save)

$(OUT)/ct2016-theorem5.2-surrogate.tsv: $(OUT)/surrogate.ends
	{
	    printf '# %s\n' 'title Chaudhuri & Tewari 2016, Theorem 5.2: regret in |s - G(R)/Z|^2' \
	        'x rounds T' 'y regret a round, runs of T rounds' 'log xy'
	    echo 'panel	series	T	regret'
	    ./mean -v by='law player T' -v of=regret $< | sed '1d; s/^/law /'
	    for T in $(SURROGATE_ENDS); do for law in p q; do
	        echo "law $$law	least of the worse law, 1 seen	$$T	$$(awk 'BEGIN {
	            print (0.0194 ^ 2 + 0.0581 ^ 2 + 0.0774 ^ 2) / 4 }')"
	    done; done
	} > $(new)
	$(save)

of-surrogate = ./estimate -v name=$1 -v of=regret -v x=T -v where="law=$$law;player=$2" $3 $(OUT)/surrogate.ends
in-ndcg = ./estimate -v name=$1 -v of=regret:ndcg -v x=T $(OUT)/hopeless-ndcg-q.$2.ndcg.theorem
$(OUT)/ct2016-theorem5.2.values: $(OUT)/surrogate.ends estimate \
    $(foreach p,squared-1 ftpl-1 listnet-all,$(OUT)/hopeless-ndcg-q.$p.ndcg.theorem)
	{
	    for law in p q; do
	        for player in 'squared, 1 seen' 'squared-ndcg, all seen'; do
	            name=$${player%%,*}
	            $(call of-surrogate,slope-$$law-$$name,$$player,-v slope=1)
	            $(call of-surrogate,regret-$$law-$$name,$$player)
	        done
	        $(call of-surrogate,slope-$$law-greedy,squared$(comma) 1 seen$(comma) greedy scores,-v slope=1)
	        $(call of-surrogate,regret-$$law-greedy,squared$(comma) 1 seen$(comma) greedy scores)
	    done
	    $(call in-ndcg,ndcg-squared,squared-1)
	    $(call in-ndcg,ndcg-ftpl,ftpl-1)
	    $(call in-ndcg,ndcg-listnet,listnet-all)
	} > $(new)
	$(save)

# Figure 1 as a table: the mean and the standard error over the seeds of the mean NDCG@10 after T rounds, by
# the schedule and by the best setting of the grid.
figure1-runs = $(foreach a,$(TOP),$(OUT)/ct2016.$1.$a.schedule $(OUT)/ct2016.$1.$a.best) \
    $(OUT)/ct2016.$1.listnet.runs $(OUT)/ct2016.$1.random.runs
$(OUT)/ct2016-figure1-table.tsv: $(foreach c,MQ2008 MSLR,$(call figure1-runs,$c)) spread
	cell() { ./spread -v of=ndcg@10 $$1 | sed -n '2s/^[^	]*	//p'; }
	{
	    echo 'learner	$(MQ2008), schedule	best	eta, gamma, U	$(MSLR), schedule	best	eta, gamma, U'
	    for a in random $(TOP) listnet; do
	        row=$$a
	        for data in MQ2008 MSLR; do
	            runs=$(OUT)/ct2016.$$data.$$a
	            if [ -e $$runs.best ]; then
	                setting=$$(sed -n 2p $$runs.best | awk -F '\t' '{ print $$3 ", " $$4 ", " $$5 }')
	                row="$$row	$$(cell $$runs.schedule)	$$(cell $$runs.best)	$$setting"
	            else
	                row="$$row	$$(cell $$runs.runs)		"
	            fi
	        done
	        echo "$$row"
	    done
	} > $(new)
	$(save)

$(OUT)/ct2016-figure1.values: $(OUT)/ct2016-figure1-table.tsv
	awk -F '\t' 'NR > 1 {
	    print "mq-schedule-" $$1 "\t" $$2 + 0
	    print "mslr-schedule-" $$1 "\t" $$5 + 0
	    if ($$3 == "") next
	    print "mq-best-" $$1 "\t" $$3 + 0
	    print "mslr-best-" $$1 "\t" $$6 + 0 }' $< > $(new)
	$(save)

# The smoothing of smoothdcg: of DCG@1 or DCG@10, constant or falling; each at its best eta of a grid.
SMOOTH = at-1 at-10 at-1-falls at-10-falls
smooth.at-1 = -E 0.01
smooth.at-10 = -E 0.01 -k 10
smooth.at-1-falls = -E 1 -F 0.4
smooth.at-10-falls = -E 1 -F 0.4 -k 10
SMOOTH_T = $(call size,50000,500,5000)
$(OUT)/ct2016.%.smooth: $(OUT)/$$(collection).bin sweep best
	./sweep smoothing=$(learner) eta='$(CT2016_ETAS) $(call size,1e-3 1e-2,1e-3,1e-3)' seed=$(first-seed) \
	    'replay -n $(SMOOTH_T) -s $$seed $< | score | explore -g 0.1 -s $$seed | metric -t $$table -e $(SMOOTH_T) ndcg@10 |
	    feedback-mask -k 1 | update -a smoothdcg -U 1 -e $$eta $(smooth.$(learner))' > $(new).grid
	read -r _ eta _ < <(./best -v of=eta -v by=ndcg@10 $(new).grid | sed 1d)
	./sweep smoothing=$(learner) eta=$$eta seed='$(call seeds,$(call size,2 3 4,2,2))' \
	    'replay -n $(SMOOTH_T) -s $$seed $< | score | explore -g 0.1 -s $$seed |
	    metric -t $$table -e $(SMOOTH_T) ndcg@10 | feedback-mask -k 1 |
	    update -a smoothdcg -U 1 -e $$eta $(smooth.$(learner))' > $(new)
	rm $(new).grid
	$(save)

$(OUT)/ct2016-smoothdcg.tsv: $(foreach c,MQ2008 MSLR,$(foreach s,$(SMOOTH),$(OUT)/ct2016.$c.$s.smooth)) spread
	{
	    echo 'smoothdcg	options	$(MQ2008)	eta	$(MSLR)	eta'
	    for s in $(SMOOTH); do
	        case $$s in
	        at-1) options='$(smooth.at-1)' ;;
	        at-10) options='$(smooth.at-10)' ;;
	        at-1-falls) options='$(smooth.at-1-falls)' ;;
	        *) options='$(smooth.at-10-falls)' ;;
	        esac
	        row="$$s	$$options"
	        for data in MQ2008 MSLR; do
	            runs=$(OUT)/ct2016.$$data.$$s.smooth
	            row="$$row	$$(./spread -v of=ndcg@10 $$runs | sed -n 2p | cut -f 2)	$$(sed -n 2p $$runs | cut -f 2)"
	        done
	        echo "$$row"
	    done
	} > $(new)
	$(save)
