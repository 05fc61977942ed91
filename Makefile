# rankpipe: make, make demo, make check, make fuzz, make bench, make soak, make install; make static,
# make dist, make deb

CC = cc
CFLAGS = -O3
LDFLAGS =
DESTDIR =
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
PROGPREFIX =
INSTALL = install

# What the results depend on is not for CFLAGS: no contraction, so that they are the same anywhere.
HOUSE = -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -Ilib
WARN = -Wall -Wextra -Wconversion -Wshadow
COMPILE = $(CC) $(HOUSE) $(WARN) $(CPPFLAGS) $(CFLAGS)

# The version stands in cmd/main.c, and nowhere else.
VERSION = $(shell sed -n 's/^\#define VERSION "\(.*\)"$$/\1/p' cmd/main.c)

PROGRAMS = svm2bin weights2bin replay synth features score explore metric feedback-mask
PROGRAMS += feedback-join update bin2txt loop
LIB = $(patsubst lib/%.c,build/lib/%.o,$(wildcard lib/*/*.c))
CMD = $(patsubst cmd/%.c,build/cmd/%.o,$(wildcard cmd/*.c))
HEADERS = $(wildcard lib/*/*.h cmd/*.h tests/*/*.h)

all: bin/rankpipe $(PROGRAMS:%=bin/%)

bin/rankpipe: $(CMD) $(LIB)
	@mkdir -p bin
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(CMD) $(LIB) -lm

$(PROGRAMS:%=bin/%): bin/rankpipe
	ln -sf rankpipe $@

# What each object includes, the compiler writes beside it.
build/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c -o $@ $<

-include $(wildcard build/cmd/*.d build/lib/*/*.d)

# Tests in C: exact mathematics, each a program of its own.
TESTS = $(patsubst tests/%.c,build/tests/%,$(wildcard tests/exact/*.c) \
	$(filter-out tests/shim/faulty.c,$(wildcard tests/shim/*.c)))

build/tests/%: tests/%.c $(LIB) $(HEADERS)
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $< $(LIB) -lm

# What tests put between a program and the system.
build/tests/shim/%.so: tests/shim/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(filter-out -static -fsanitize=%,$(COMPILE)) -U_FORTIFY_SOURCE -shared -fPIC -o $@ $< -ldl

# Fuzz targets: each runs behind libFuzzer (make fuzz), and behind a driver that gives it files.
FUZZ = $(filter-out driver,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))
FUZZED = $(filter-out build/cmd/main.o,$(CMD)) $(LIB)

build/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/driver.c $(FUZZED) $(HEADERS)
	@mkdir -p $(@D)
	$(COMPILE) -Icmd -o $@ $< tests/fuzz/driver.c $(FUZZED) -lm

tests: $(TESTS) build/tests/shim/faulty.so $(FUZZ:%=build/tests/fuzz/%)

# What the sanitizers catch, in tests and behind fuzzers.
CAUGHT = address,undefined,float-cast-overflow

# bats, mandoc and gnuplot are brought in where the machine has none; without gnuplot the tests of
# the papers' figures are skipped.
ifeq ($(SAN),)
check: all tests build/examples/data/make
	@sh tests/need bats mandoc
	@sh tests/need gnuplot=gnuplot-nox || true
	@PATH="$$PWD/node_modules/.bin:$$PATH" bats --jobs 1 -r tests
else
# With SAN=1 under AddressSanitizer and UBSan: in a copy of the tree, so that no object is mixed up
# with the others, and no test need know where it runs.
SANITIZE = -O1 -g -fsanitize=$(CAUGHT) -fno-sanitize-recover=all
COPIED = LICENSE Makefile README.md cmd examples lib man package tests

check:
	@mkdir -p build/san/rankpipe
	@cd build/san/rankpipe && rm -rf $(COPIED)
	@cp -Rp $(COPIED) build/san/rankpipe
	@ln -sfn "$(abspath ../shared)" build/san/shared
	@ASAN_OPTIONS=allocator_may_return_null=1 $(MAKE) -C build/san/rankpipe check SAN= \
		CFLAGS="$(SANITIZE)"
endif

# Each target for so many seconds; what is found is build/fuzz/crash-TARGET. Behind AFL++ instead:
#   make clean && make tests CC=afl-clang-fast
#   afl-fuzz -i tests/fuzz/corpus/svm -o build/afl build/tests/fuzz/svm
SECONDS = 20
CC_FUZZ = clang
FUZZING = $(CC_FUZZ) $(HOUSE) $(WARN) $(CPPFLAGS) -Icmd -O1 -g -fno-sanitize-recover=all

fuzz:
	@MAKE="$(MAKE)" sh tests/fuzz/run "$(CC_FUZZ)" "$(SECONDS)" $(FUZZ)

build/fuzz/%.o: %.c $(HEADERS)
	@mkdir -p $(@D)
	$(FUZZING) -fsanitize=fuzzer-no-link,$(CAUGHT) -c -o $@ $<

build/fuzz/%: tests/fuzz/%.c $(FUZZED:build/%=build/fuzz/%) $(HEADERS)
	@mkdir -p $(@D)
	$(FUZZING) -fsanitize=fuzzer,$(CAUGHT) -o $@ $< $(FUZZED:build/%=build/fuzz/%) -lm

demo: all
	@sh examples/demo

# The made-up queries of examples/data: the same bytes each time.
data: build/examples/data/make
	build/examples/data/make > examples/data/small.svm

build/examples/data/make: examples/data/make.c $(LIB) $(HEADERS)
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $< $(LIB) -lm

# What completion knows, the programs themselves tell: where they cannot run, being built for another
# machine, OPTIONS names the file that they told elsewhere.
OPTIONS = build/options

build/options: bin/rankpipe package/options
	@mkdir -p $(@D)
	sh package/options bin/rankpipe > $@.new
	mv $@.new $@

install: all $(OPTIONS)
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 \
		$(DESTDIR)$(MANDIR)/man7 $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR)
	$(INSTALL) -m 755 bin/rankpipe $(DESTDIR)$(BINDIR)/$(PROGPREFIX)rankpipe
	sh package/completion bash $(PROGPREFIX) < $(OPTIONS) > build/bash
	sh package/completion zsh $(PROGPREFIX) < $(OPTIONS) > build/zsh
	$(INSTALL) -m 644 build/bash $(DESTDIR)$(BASHDIR)/$(PROGPREFIX)rankpipe
	$(INSTALL) -m 644 build/zsh $(DESTDIR)$(ZSHDIR)/_$(PROGPREFIX)rankpipe
	for p in $(PROGRAMS); do \
		ln -sf $(PROGPREFIX)rankpipe $(DESTDIR)$(BINDIR)/$(PROGPREFIX)$$p || exit 1; \
		ln -sf $(PROGPREFIX)rankpipe $(DESTDIR)$(BASHDIR)/$(PROGPREFIX)$$p || exit 1; \
		$(INSTALL) -m 644 man/$$p.1 $(DESTDIR)$(MANDIR)/man1/$(PROGPREFIX)$$p.1 || exit 1; \
	done
	$(INSTALL) -m 644 man/rankpipe.1 $(DESTDIR)$(MANDIR)/man1/$(PROGPREFIX)rankpipe.1
	$(INSTALL) -m 644 man/rankpipe.5 $(DESTDIR)$(MANDIR)/man5/rankpipe.5
	$(INSTALL) -m 644 man/rankpipe.7 $(DESTDIR)$(MANDIR)/man7/rankpipe.7

uninstall:
	for p in rankpipe $(PROGRAMS); do \
		rm -f $(DESTDIR)$(BINDIR)/$(PROGPREFIX)$$p $(DESTDIR)$(BASHDIR)/$(PROGPREFIX)$$p \
			$(DESTDIR)$(MANDIR)/man1/$(PROGPREFIX)$$p.1; \
	done
	rm -f $(DESTDIR)$(ZSHDIR)/_$(PROGPREFIX)rankpipe
	rm -f $(DESTDIR)$(MANDIR)/man5/rankpipe.5 $(DESTDIR)$(MANDIR)/man7/rankpipe.7

# One file that needs no other, small: all programs, for a machine that has nothing.
CC_STATIC = musl-gcc

static: build/static/rankpipe
	@echo "$<: $$(wc -c < $<) bytes"

build/static/rankpipe: $(wildcard cmd/*.c lib/*/*.c) $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(CC_STATIC) $(HOUSE) $(WARN) -Os -static -s -o $@ $(wildcard cmd/*.c lib/*/*.c) -lm

# The sources as one file, and a package for this machine: the same bytes each time.
dist:
	sh package/tarball $(VERSION) build/rankpipe-$(VERSION).tar.gz

deb: all
	MAKE="$(MAKE)" PROGPREFIX="$(PROGPREFIX)" sh package/deb $(VERSION) build

# The bare work that the programs are measured against, each a program of one file.
FLOORS = $(patsubst tests/bench/%.c,build/tests/bench/%,$(wildcard tests/bench/*.c))

build/tests/bench/%: tests/bench/%.c $(wildcard tests/bench/*.h)
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $<

bench: all $(FLOORS)
	@bash tests/bench/run
	@bash tests/bench/growth

# Ten million rounds, and memory stays as it is; some minutes.
soak: all
	@bash tests/promises/soak

clean:
	rm -rf bin build

.PHONY: all tests check fuzz demo data install uninstall static dist deb bench soak clean
