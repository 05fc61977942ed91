# Chaudhuri & Tewari 2017, Online Learning to Rank with Top-k Feedback, section 4.1: the same list, with
# feedback on more than one place. The runs are those of ct2015.mk.

CT2017 = ct2017-section4.1
CT2017_SEEN = 1 2 5 10 all

$(OUT)/ct2017-section4.1.tsv: $(foreach k,$(CT2017_SEEN),$(OUT)/fixed-$k.within $(OUT)/fixed-$k.ends)
	{
	    echo '# title Chaudhuri & Tewari 2017, section 4.1: regret in DCG, k items seen'
	    echo '# x round t'
	    echo '# y mean regret a round'
	    echo '# log xy'
	    echo '# line t^(-1/3) -1/3. seen: 1'
	    echo '# line t^(-1/2) -1/2. seen: all'
	    echo 'panel	series	t	regret:dcg'
	    $(call within,$(filter %.within,$^))
	    $(call ends,$(filter %.ends,$^))
	} > $(new)
	$(save)

# ratio-k: the regret as a part of that with the next fewer items seen
$(OUT)/ct2017-section4.1.values: $(foreach k,$(CT2017_SEEN),$(OUT)/fixed-$k.within $(OUT)/fixed-$k.ends) estimate
	for k in $(CT2017_SEEN); do
	    $(call of-dcg,regret-$$k) -v x=t $(OUT)/fixed-$$k.within
	    $(call of-dcg,slope-$$k) -v x=T -v slope=1 $(OUT)/fixed-$$k.ends
	done > $(new).all
	awk -F '\t' '{ print } /^regret/ { if (last) printf "ratio%s\t%.3g\n", substr($$1, 7), $$2 / last; last = $$2 }' \
	    $(new).all > $(new)
	rm $(new).all
	$(save)
