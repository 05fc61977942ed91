# rankpipe: `make` builds the programs; `make help` lists what else there is.

# Set by the environment or on the command line: CC, CPPFLAGS, CFLAGS, LDFLAGS.
ifeq ($(origin CC),default)
CC = cc
endif
CFLAGS ?= -O3
LDFLAGS ?=
LDLIBS = -lm -pthread

DESTDIR =
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
DOCDIR = $(PREFIX)/share/doc
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
PROGPREFIX =
INSTALL = install
# GENERAL=libexec keeps the names that are too general for a distribution off the PATH.
GENERAL = bin

# What the results depend on is not for CFLAGS: no contraction, so that they are the same anywhere.
HOUSE = -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -Ilib
WARN = -Wall -Wextra -Wconversion -Wshadow -Wformat-security
COMPILE = $(CC) $(HOUSE) $(WARN) $(CPPFLAGS) $(CFLAGS)
LINK = $(CC) $(CFLAGS) $(LDFLAGS)

# The version stands in cmd/main.c, and nowhere else; package/version adds the commit.
VERSION := $(shell sh package/version)

# Where objects and programs are written: make debug has folders of its own.
BUILD = build
BIN = bin

# Where CFLAGS has -O2, as distributions do, these get -O3: what loop is busy with, by default and with kl.
HOT = $(patsubst %.c,$(BUILD)/%.o,$(wildcard lib/kernels/*.c)) $(addprefix $(BUILD)/lib/,math/fingerprint.o \
	math/matrix.o math/order.o math/real.o math/sketch.o feature/scale.o feature/rows.o memory/memory_near.o \
	memory/memory_view.o memory/memory_worth.o memory/memory_table.o learn/descent.o measure/measure.o)
$(HOT): override CFLAGS := $(patsubst -O2,-O3,$(CFLAGS))

GENERAL_NAMES = score judge compare update explore replay loop metric features synth spool salvage serve
DISTINCTIVE_NAMES = svm2bin log2bin weights2bin bin2txt feedback-mask feedback-join add-models
PROGRAMS = $(GENERAL_NAMES) $(DISTINCTIVE_NAMES)
LIB = $(patsubst lib/%.c,$(BUILD)/lib/%.o,$(wildcard lib/*/*.c))
CMD = $(patsubst cmd/%.c,$(BUILD)/cmd/%.o,$(wildcard cmd/*.c))

# Generated queries, so that everything can be tried. A program of the machine that builds makes them.
QUERIES = $(patsubst %/make.c,%/small.svm,$(wildcard examples/data/make.c))
CC_BUILD = $(if $(shell command -v cc),cc,$(CC))

## all: the programs, in bin/, and the queries of examples/data (also plain `make`)
all: $(BIN)/rankpipe $(PROGRAMS:%=$(BIN)/%) $(QUERIES)

## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): /\1 /p' Makefile | while read -r name text; do \
		printf 'make %-13s %s\n' "$$name" "$$text"; done

$(QUERIES): %/small.svm: %/make.c lib/math/rng.c lib/math/rng.h lib/math/real.c
	@mkdir -p build/$*
	$(CC_BUILD) $(HOUSE) $(WARN) -O1 -ffunction-sections -Wl,--gc-sections -o build/$*/make $(filter %.c,$^) -lm
	build/$*/make > $@.new && mv $@.new $@

$(BIN)/rankpipe: $(CMD) $(LIB)
	@mkdir -p $(BIN)
	$(LINK) -o $@ $(CMD) $(LIB) $(LDLIBS)

$(PROGRAMS:%=$(BIN)/%): $(BIN)/rankpipe
	ln -sf rankpipe $@

# What each object includes, the compiler writes beside it.
DEPENDS = -MMD -MP

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) $(DEPENDS) -c -o $@ $<

-include $(CMD:.o=.d) $(LIB:.o=.d) $(wildcard build/tests/*/*.d \
	build/tests/fuzz/structured/*.d build/fuzz/*/*.d build/fuzz/*/*/*.d build/fuzz/tests/fuzz/*/*.d)

# A stamp holds the compiler and its flags, and is written when they change: then every object, which
# depends on it, is built again.
STAMPED := $(strip $(COMPILE) / $(LINK) $(LDLIBS))
write_stamp = @mkdir -p $(@D) && printf '%s\n' '$(subst ','\'',$(1))' > $@

ifneq ($(shell cat $(BUILD)/flags 2>/dev/null),$(STAMPED))
$(BUILD)/flags: FORCE
endif
$(BUILD)/flags:
	$(call write_stamp,$(STAMPED))

ifneq ($(shell cat $(BUILD)/version 2>/dev/null),$(VERSION))
$(BUILD)/version: FORCE
endif
$(BUILD)/version:
	$(call write_stamp,$(VERSION))

VERSIONED = -DVERSION='"$(VERSION)"'
$(BUILD)/cmd/main.o: private override CPPFLAGS += $(VERSIONED)
$(BUILD)/cmd/main.o: $(BUILD)/version

FORCE:

## debug: the programs in build/debug/bin, by -O0 -g with AddressSanitizer and UBSan
debug:
	@$(MAKE) all BUILD=build/debug BIN=build/debug/bin CFLAGS="-O0 -g $(SANITIZE)"

# What tests put between a program and the system.
SHIMS = faulty fence hold journal

# All objects except that of main, of which a test program takes what it calls. The archive is thin:
# it holds their paths.
OBJECTS = $(filter-out $(BUILD)/cmd/main.o,$(CMD)) $(LIB)
ARCHIVE = $(BUILD)/librankpipe.a

$(ARCHIVE): $(OBJECTS) $(BUILD)/objects
	@rm -f $@
	$(AR) rcsT $@ $(OBJECTS)

# The names of its objects, written when one is added or removed: then every test program is linked.
ifneq ($(shell cat $(BUILD)/objects 2>/dev/null),$(strip $(OBJECTS)))
$(BUILD)/objects: FORCE
endif
$(BUILD)/objects:
	$(call write_stamp,$(strip $(OBJECTS)))

# The linker prints what it takes from the archive. A test program depends on those objects, so it
# is linked again when one of them changes; it depends on all if the linker names none. Each object
# is also a target without a rule, so that make goes on when its source is removed.
NAMED = sed -n 's,.*\($(BUILD)/[^ ()]*\.o\).*,\1,p'

# $(call link_test,OBJECTS AND LIBRARIES): links $@.
define link_test
	$(LINK) -Wl,-t -o $@ $(1) $(ARCHIVE) $(LDLIBS) > $@.trace
	@objects=$$($(NAMED) $@.trace | grep .) || objects='$(OBJECTS)'; \
		printf '%s:\n' $$objects > $@.links.d; echo $@: $$objects >> $@.links.d
	@rm $@.trace
endef

# Tests in C: exact mathematics, each a program of its own.
TESTS = $(patsubst tests/%.c,build/tests/%,$(wildcard tests/exact/*.c) \
	$(filter-out $(SHIMS:%=tests/shim/%.c),$(wildcard tests/shim/*.c)))

$(TESTS): %: %.o $(BUILD)/objects | $(ARCHIVE)
	$(call link_test,$<)

build/tests/shim/%.so: tests/shim/%.c build/flags
	@mkdir -p $(@D)
	$(filter-out -static -fsanitize=%,$(COMPILE)) $(DEPENDS) -MF $(@:.so=.d) -MT $@ \
		-U_FORTIFY_SOURCE -shared -fPIC -o $@ $< -ldl

# Fuzz targets: each runs under libFuzzer (make fuzz), and with a driver that gives it files.
FUZZ = $(filter-out driver,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))
FUZZ_SOURCES = $(FUZZ) driver

# And one that makes its own input, of which all programs and learners get their share.
STRUCTURED = $(patsubst tests/%.c,build/tests/%.o,$(wildcard tests/fuzz/structured/*.c))

$(FUZZ_SOURCES:%=build/tests/fuzz/%.o) $(STRUCTURED): build/tests/%.o: tests/%.c build/flags
	@mkdir -p $(@D)
	$(COMPILE) -Icmd $(DEPENDS) -c -o $@ $<

$(FUZZ:%=build/tests/fuzz/%): %: %.o build/tests/fuzz/driver.o $(BUILD)/objects | $(ARCHIVE)
	$(call link_test,$< build/tests/fuzz/driver.o)

build/tests/fuzz/structured/structured: $(STRUCTURED) $(BUILD)/objects | $(ARCHIVE)
	$(call link_test,$(STRUCTURED))

## tests: what the tests need that is written in C, in build/tests
tests: $(TESTS) $(SHIMS:%=build/tests/shim/%.so) $(FUZZ:%=build/tests/fuzz/%) \
	build/tests/fuzz/structured/structured

# What the sanitizers catch, in tests and under fuzzers.
CAUGHT = address,undefined,float-cast-overflow
SANITIZE = -fsanitize=$(CAUGHT) -fno-sanitize-recover=all

# T='explore ridge' chooses tests: only what they need is built.
ifneq ($(filter check test quick,$(MAKECMDGOALS)),)
NEEDED = $(if $(T),$(shell sh tests/run -n $(T) 2>/dev/null),all tests)
endif

## check: run every test, first installing bats, mandoc, gnuplot, jq and curl if missing; T='explore ridge': only these; SAN=1: under sanitizers
## test: the same, but install nothing: report what is missing, and skip the tests that need it
ifeq ($(SAN),)
check: $(NEEDED)
	@sh tests/need bats mandoc
	@sh tests/need gnuplot=gnuplot-nox || true
	@sh tests/need jq || true
	@sh tests/need curl || true
	@sh tests/run $(T)

test: $(NEEDED)
	@sh tests/need -n bats
	@sh tests/need -n mandoc gnuplot jq curl || true
	@sh tests/run $(T)
else
# With SAN=1 the tests run in a copy of the tree, so that no object is mixed up with the others, and
# no test needs to know where it runs.
COPIED = LICENSE Makefile README.md cmd examples lib man package tests $(wildcard HACKING.md NEWS)

check test:
	@mkdir -p build/san/rankpipe
	@cd build/san/rankpipe && rm -rf $(COPIED)
	@cp -Rp $(COPIED) build/san/rankpipe
	@ln -sfn "$(abspath ../shared)" build/san/shared
	@ASAN_OPTIONS=allocator_may_return_null=1 $(MAKE) -C build/san/rankpipe $@ SAN= \
		CFLAGS="-O1 -g $(SANITIZE)"
endif

## quick: a minute of tests: those of each program, two files at a time
quick: all tests
	@sh tests/need -n bats
	@sh tests/run -q

## release-check: all that is run before a release (tests/release); hours
release-check:
	@MAKE="$(MAKE)" sh tests/release

# Each target for SECONDS, or for so many RUNS; an input that fails is build/fuzz/crash-TARGET. First
# come structured cases, for as long, or one for 50 runs. Under AFL++ instead:
#   make clean && make tests CC=afl-clang-fast
#   afl-fuzz -i tests/fuzz/corpus/svm -o build/afl build/tests/fuzz/svm
SECONDS = 20
RUNS =
CC_FUZZ = clang
FUZZING = $(CC_FUZZ) $(HOUSE) $(WARN) -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION $(CPPFLAGS) -Icmd \
	-O1 -g -fno-sanitize-recover=all

## fuzz: fuzz programs and parsers for SECONDS=20 each (clang); RUNS=10000000: that many inputs each
fuzz:
	@MAKE="$(MAKE)" RUNS="$(RUNS)" sh tests/fuzz/run "$(CC_FUZZ)" "$(SECONDS)" structured $(FUZZ)

ifneq ($(shell cat build/fuzz/flags 2>/dev/null),$(strip $(FUZZING)))
build/fuzz/flags: FORCE
endif
build/fuzz/flags:
	$(call write_stamp,$(strip $(FUZZING)))

build/fuzz/%.o: %.c build/fuzz/flags
	@mkdir -p $(@D)
	$(FUZZING) -fsanitize=fuzzer-no-link,$(CAUGHT) $(DEPENDS) -c -o $@ $<

$(FUZZ:%=build/fuzz/%): build/fuzz/%: build/fuzz/tests/fuzz/%.o $(OBJECTS:build/%=build/fuzz/%)
	$(FUZZING) -fsanitize=fuzzer,$(CAUGHT) -o $@ $^ $(LDLIBS)

# Parsers take any checksum while they are fuzzed, but structured cases want the programs as they are.
build/fuzz/strict/record_header.o: lib/stream/record_header.c build/fuzz/flags
	@mkdir -p $(@D)
	$(FUZZING) -UFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -fsanitize=$(CAUGHT) $(DEPENDS) -c -o $@ $<

build/fuzz/structured: $(STRUCTURED:build/%=build/fuzz/%) build/fuzz/strict/record_header.o \
		$(filter-out build/fuzz/lib/stream/record_header.o,$(OBJECTS:build/%=build/fuzz/%))
	$(FUZZING) -fsanitize=$(CAUGHT) -o $@ $^ $(LDLIBS)

## demo: a shop with simulated customers, who teach its search what they want; half a minute, and then a page for you
demo: all
	@PATH="$(CURDIR)/bin:$$PATH" rankpipe demo

## ring: learn on examples/data through real pipes, and print the curve
ring: all
	@sh examples/ring

# Programs of cmd/ that are not in C: `rankpipe NAME` runs them.
SCRIPTS = train sweep plot live export import log service api up site doctor demo add-tables

# The programs themselves print what completion needs to know. Where they cannot run, because they
# are built for another machine, OPTIONS names the file that they printed elsewhere.
OPTIONS = build/options

build/options: bin/rankpipe package/options $(SCRIPTS:%=cmd/%) $(wildcard man/rankpipe-*.7)
	@mkdir -p $(@D)
	sh package/options bin/rankpipe > $@.new
	mv $@.new $@

INSTALLED = DESTDIR='$(DESTDIR)' BINDIR='$(BINDIR)' MANDIR='$(MANDIR)' DOCDIR='$(DOCDIR)' BASHDIR='$(BASHDIR)' \
	ZSHDIR='$(ZSHDIR)' PROGPREFIX='$(PROGPREFIX)' GENERAL='$(GENERAL)' PROGRAMS='$(PROGRAMS)' \
	GENERAL_NAMES='$(GENERAL_NAMES)' SCRIPTS='$(SCRIPTS)' OPTIONS='$(OPTIONS)' INSTALL='$(INSTALL)'

## install: programs, pages and scripts below DESTDIR and PREFIX; GENERAL=libexec keeps general names off the PATH; PROGPREFIX=rp- begins every name
install: all $(OPTIONS)
	@$(INSTALLED) sh package/install install

## uninstall: remove what make install with the same settings installed
uninstall:
	@$(INSTALLED) sh package/install uninstall

CC_STATIC = musl-gcc

## static: build/static/rankpipe: all programs in one small file that needs no other (musl)
static: build/static/rankpipe
	@echo "$<: $$(wc -c < $<) bytes"

build/static/rankpipe: $(wildcard cmd/*.[ch] lib/*/*.[ch]) Makefile
	@mkdir -p $(@D)
	$(CC_STATIC) $(HOUSE) $(WARN) -Os -fno-asynchronous-unwind-tables -static -s $(VERSIONED) -o $@ $(wildcard cmd/*.c lib/*/*.c) $(LDLIBS)

## dist: build/rankpipe-VERSION.tar.gz, the sources: the same bytes each time
dist:
	sh package/tarball $(VERSION) build/rankpipe-$(VERSION).tar.gz

## deb: build/*.deb, the Debian packages, by debhelper: the same bytes each time
deb:
	@PROGPREFIX="$(PROGPREFIX)" sh package/deb $(VERSION) build

## deb-check: build them twice, and try them on an empty Debian machine (mmdebstrap, as root); some minutes
deb-check:
	@bash tests/promises/debian

## boot: from the packages to a learnt answer under systemd, on a Debian machine in QEMU, as root; some minutes
boot:
	@bash tests/promises/boot

## seen: a service under Prometheus, broken in each usual way: what fires, and what /health and status say; 10 minutes
seen: all
	@tests/promises/seen

## fixtures: tests/fixtures/vVERSION: streams and models of this version, for later ones to read; anew
fixtures: RELEASE = $(firstword $(subst +, ,$(VERSION)))
fixtures: all
	rm -rf tests/fixtures/v$(RELEASE)
	PATH="$(CURDIR)/bin:$$PATH" bash tests/fixtures/make tests/fixtures/v$(RELEASE)

# The bare work that the programs are measured against, each a program of one file.
FLOORS = $(patsubst tests/bench/%.c,build/tests/bench/%,$(wildcard tests/bench/*.c))

$(FLOORS): %: %.o $(BUILD)/objects | $(ARCHIVE)
	$(call link_test,$< -ldl)

# Machines on which these run as root are for trials alone.
bench crash deb-check demo first-day fuzz hostile hosts load machine mutants release-check: export RANKPIPE_ROOT = yes

## bench: time the programs beside the same work in bare C, and how a round's cost grows
bench: all $(FLOORS)
	@bash tests/bench/run
	@bash tests/bench/growth

## machine: bring up rankpipe site on an empty Debian machine (mmdebstrap, as root); some minutes
machine:
	@bash tests/promises/machine

## soak: ten million rounds, in which memory must not grow; some minutes
soak: all
	@bash tests/promises/soak

## looks: of 2,000 tests without a difference, looked at on 60 days, how many call one; some minutes
looks: build/tests/exact/looks
	@nice build/tests/exact/looks 2000

## crash: kill serve, spool and the learner, and fill their disk, at MOMENTS=50 moments; a minute or two
MOMENTS = 50
crash: all
	@bash tests/promises/crash-service $(MOMENTS)

## hosts: three services with one learner, by rsync, beside one ring of the same delay; some minutes
hosts: all
	@bash tests/promises/hosts

## first-day: a search box over a PostgreSQL of its own begins to learn, against its order; some minutes
first-day: all
	@tests/promises/first-day

## hostile: hostile clients of a service and of the site: the attacks of rankpipe-operating(7); half an hour
hostile: all
	@tests/promises/hostile-service

## gate: simulated months of a service whose new models must win a test first; half an hour
gate: all
	@tests/promises/gate

## verdicts: judge's verdict of simulated logs by whether their new rankers are better; DATA=../shared/data; minutes
DATA = ../shared/data
verdicts: all
	@nice tests/promises/verdicts MQ2008=$$(echo $(DATA)/MQ2008/S?.txt | tr ' ' ,) \
	    MSLR=$$(echo $(DATA)/MSLR/*.txt | tr ' ' ,) lambdarank=$$(echo $(DATA)/lambdarank/t*.txt | tr ' ' ,)

## regret: exp3m and steps in a ball on games of 10^6 rounds, beside their guarantees; twenty minutes
regret: all
	@nice tests/bench/regret

## clicks: learners from clicks with six users, in lists shown and held out; resumable; CLICKS='rounds seeds trust'; hours
CLICKS = 20000 5 9
clicks: all
	@nice tests/bench/clicks build/clicks $(DATA) $(CLICKS)

## sales: what baskets and orders sell beside clicks alone, in the shop of demo; some minutes
sales: all
	@RANKPIPE_ROOT=yes nice tests/promises/sales

## load: serve under 50 clients, with others that misbehave, and 100,000 connections; some minutes
load: all build/tests/shim/load
	@bash tests/bench/load

## mutants: N=1000 small mistakes drawn in lib/ by SEED=1, and which of them no test finds; an hour or more
mutants:
	@CC="$(CC)" MAKE="$(MAKE)" bash tests/mutants/run

## clean: remove bin, build and the queries of examples/data
clean:
	rm -rf bin build $(QUERIES)

.PHONY: all help debug tests check test quick release-check fuzz demo ring install uninstall static dist deb deb-check boot fixtures bench \
	seen soak looks crash hosts first-day hostile gate verdicts regret clicks sales load machine mutants clean
