# Chaudhuri & Tewari 2016: its lemmas and theorems, one by one. Figure 1 and the runs of Theorem 4.1 are in
# ct2016.mk. A file ID.values has the numbers that results.tsv states.

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
	    BEGIN { srand(1) }
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
	    echo "$$gamma	$$(./gradients $* $(if $(filter ranksvm,$*),2,1) $$gamma 1e-7 1 $(LEMMA5_T) $<)"
	done > $(new)
	$(save)

$(OUT)/ct2016-lemma5.tsv: $(OUT)/MQ2008.bin $(BOUNDED:%=$(OUT)/%.gradients)
	{
	    printf '# %s\n' 'title Chaudhuri & Tewari 2016, Lemma 5: the gradient estimate, $(MQ2008)' \
	        'x gamma' 'y mean of |z|^2' 'log xy'
	    for a in $(BOUNDED); do echo "# line 1/gamma -1. $$a"; done
	    echo 'panel	series	gamma	square'
	    for a in $(BOUNDED); do
	        awk -v a=$$a -v OFS='\t' '{ print "measured", a, $$1, $$2 }' $(OUT)/$$a.gradients
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
	            for (i = split(gammas, gamma, " "); i > 0; i--) for (a in C)
	                print "bound C/gamma, U = 1", a, gamma[i], C[a] / gamma[i]
	        }' | sort -t '	' -k 2,2 -k 3,3g
	} > $(new)
	$(save)

$(OUT)/ct2016-lemma5.values: $(OUT)/ct2016-lemma5.tsv
	{
	    for a in $(BOUNDED); do
	        echo "slope-$$a	$$(./pick -v panel=measured -v series=$$a -v slope=1 $<)"
	        awk -F '\t' -v a=$$a '$$2 == a && $$1 == "measured" { square[$$3] = $$4 }
	            $$2 == a && $$1 ~ /^bound/ { part = square[$$3] / $$4; if (part > most) most = part }
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

# Table 1, and Theorems 5.1 and 5.2 on its two laws. Documents have unit features, so weights are scores.
LAWS = p q
law.p = hopeless-ndcg
law.q = -q hopeless-ndcg
LAWS_T = $(call size,100000,1000,20000)
gains = awk '$$2 != query { finish(); query = $$2 } { gain[++m] = $$1 } END { finish() } \
    function finish(    i, n, Z) { if (!m) return; for (i = 1; i <= m; i++) n += gain[i]; \
        for (i = 1; i <= n; i++) Z += log(2) / log(i + 1); \
        for (i = 1; i <= m; i++) printf "%.9g%s", (n ? gain[i] / Z : 0), (i < m ? "\t" : ""); \
        print ""; m = 0 }'

$(OUT)/ct2016-table1.values: | ../../bin/rankpipe $(OUT)
	for law in p q; do
	    game=$$([ $$law = p ] && echo '$(law.p)' || echo '$(law.q)')
	    synth -n $(LAWS_T) -s 1 $$game | bin2txt -f svm |
	        awk -v law=$$law '{ sum[FNR % 3] += $$1 } END { for (i = 1; i <= 3; i++)
	            printf "relevance-%s-%d\t%.4f\n", law, i, 3 * sum[i % 3] / NR }'
	    synth -n $(LAWS_T) -s 1 $$game | bin2txt -f svm | $(gains) |
	        awk -v law=$$law '{ for (i = 1; i <= 3; i++) sum[i] += $$i } END { for (i = 1; i <= 3; i++)
	            printf "normalised-%s-%d\t%.4f\n", law, i, sum[i] / NR }'
	done > $(new)
	$(save)

# What squared-ndcg learns from all labels: E[G(R)/Z], the unique minimiser.
$(OUT)/ct2016-theorem5.1.values: | ../../bin/rankpipe $(OUT)
	for law in p q; do
	    game=$$([ $$law = p ] && echo '$(law.p)' || echo '$(law.q)')
	    synth -n $(LAWS_T) -s 1 $$game | update -a squared-ndcg -e $(call size,1e-4,1e-3,5e-4) | bin2txt |
	        awk -v law=$$law '/^w/ { printf "score-%s-%d\t%.4f\n", law, ++i, $$3 }'
	done > $(new)
	$(save)

# The regret a round in |s - G(R)/Z|^2 after T rounds, against the best fixed scores in hindsight, the mean
# of G(R)/Z. The loss is that of the scores drawn, eta is 0.1 T^(-2/3), and 0.1 T^(-1/2) with all labels.
# Scores that do not depend on the law have at least |E_p - E_q|^2 / 4 under one of the two.
SURROGATE_ENDS = $(call size,1000 4000 16000 64000 256000,500,1000 64000)
SURROGATE_SEEDS = $(call upto,$(call size,10,2,3))
$(OUT)/ct2016-theorem5.2-surrogate.tsv: | ../../bin/rankpipe $(OUT)
	{
	    printf '# %s\n' 'title Chaudhuri & Tewari 2016, Theorem 5.2: regret in |s - G(R)/Z|^2' \
	        'x rounds T' 'y regret a round, runs of T rounds' 'log xy'
	    echo 'panel	series	T	regret'
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
	                awk -v law=$$law -v player="$$player" -v T=$$T -v best=$$best -v OFS='\t' '
	                    NR == 1 { next }
	                    { print "law " law, player, T, $$2 - best }
	                    player ~ /1 seen/ { print "law " law, player ", greedy scores", T, $$3 - best }
	                    ' $(new).table
	            done; done
	        done
	    done | awk -F '\t' -v OFS='\t' '
	        { key = $$1 OFS $$2 OFS $$3; if (!n[key]++) order[++rows] = key; sum[key] += $$4 }
	        END { for (i = 1; i <= rows; i++) print order[i], sum[order[i]] / n[order[i]] }'
	    for T in $(SURROGATE_ENDS); do for law in p q; do
	        echo "law $$law	least of the worse law, 1 seen	$$T	$$(awk 'BEGIN {
	            print (0.0194 ^ 2 + 0.0581 ^ 2 + 0.0774 ^ 2) / 4 }')"
	    done; done
	    rm -f $(new).table $(new).w
	} > $(new)
	$(save)

$(OUT)/ct2016-theorem5.2.values: $(OUT)/ct2016-theorem5.2-surrogate.tsv $(OUT)/ct2016-theorem5.2.tsv
	{
	    for law in p q; do
	        for player in 'squared, 1 seen' 'squared-ndcg, all seen'; do
	            echo "slope-$$law-$${player%,*}	$$(./pick -v panel="law $$law" -v series="$$player" -v slope=1 $<)"
	            echo "regret-$$law-$${player%,*}	$$(./pick -v panel="law $$law" -v series="$$player" $<)"
	        done
	        greedy="-v panel='law $$law' -v series='squared, 1 seen, greedy scores'"
	        echo "slope-$$law-greedy	$$(eval ./pick $$greedy -v slope=1 $<)"
	        echo "regret-$$law-greedy	$$(eval ./pick $$greedy $<)"
	    done
	    echo "ndcg-squared	$$(./pick -v panel='hopeless, the other law' -v series='squared, 1 seen' $(word 2,$^))"
	    echo "ndcg-ftpl	$$(./pick -v panel='hopeless, the other law' -v series='ftpl, 1 seen' $(word 2,$^))"
	    echo "ndcg-listnet	$$(./pick -v panel='hopeless, the other law' -v series='listnet, all seen' $(word 2,$^))"
	} > $(new)
	$(save)
