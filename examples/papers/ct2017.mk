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

$(OUT)/ct2017-section4.1.values: $(OUT)/ct2017-section4.1.tsv
	for k in $(CT2017_SEEN); do
	    echo "regret-$$k	$$(./pick -v panel='$(one-run)' -v series="seen: $$k" $<)"
	    echo "slope-$$k	$$(./pick -v panel='$(runs)' -v series="seen: $$k" -v slope=1 $<)"
	done > $(new)
	$(save)
