# The collections: MQ2008 in five parts and whole, and MSLR; from DATA, or generated.
#
# A generated collection has as many queries, documents, features and grades as the real one. Its labels
# come from a hidden linear ranker with noise. Its features are scaled within each query, as in LETOR.

PARTS = 1 2 3 4 5
HAS_MQ2008 = $(wildcard $(DATA:%=%/MQ2008/S1.txt))
HAS_MSLR = $(wildcard $(DATA:%=%/MSLR/*.txt))
ifneq ($(DATA),)
ifeq ($(HAS_MQ2008)$(HAS_MSLR),)
$(error DATA=$(DATA) has neither MQ2008/S1.txt nor MSLR/*.txt)
endif
endif

# what figures call them
MQ2008 = $(if $(HAS_MQ2008),MQ2008,synth in place of MQ2008)
MSLR = $(if $(HAS_MSLR),MSLR sample,synth in place of MSLR)
call-by-name = sed -e 's/^MQ2008	/$(MQ2008)	/' -e 's/^MSLR	/$(MSLR)	/'

$(OUT):
	mkdir -p $@

ifneq ($(HAS_MQ2008),)
$(OUT)/MQ2008-S%.bin: $(DATA)/MQ2008/S%.txt | ../../bin/rankpipe $(OUT)
	svm2bin $< > $(new)
	$(save)
else
$(OUT)/MQ2008-S%.bin: | ../../bin/rankpipe $(OUT)
	synth -b $$(($* * 157 - 156)) -n $$(($* * 157)) -l 19 -d 46 -L 2 linear | bin2txt -f svm |
	    svm2bin -n > $(new)
	$(save)
endif

$(OUT)/MQ2008.bin: $(PARTS:%=$(OUT)/MQ2008-S%.bin)
	replay $^ > $(new)
	$(save)

ifneq ($(HAS_MSLR),)
$(OUT)/MSLR.bin: $(sort $(HAS_MSLR)) | ../../bin/rankpipe $(OUT)
	svm2bin -n $^ > $(new)
	$(save)
else
$(OUT)/MSLR.bin: | ../../bin/rankpipe $(OUT)
	synth -n 89 -l 102 -d 136 linear | bin2txt -f svm | svm2bin -n > $(new)
	$(save)
endif
