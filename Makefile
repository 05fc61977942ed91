# rankpipe: make, make demo, make check, make bench, make install

CC = cc
CFLAGS = -O3
LDFLAGS =
DESTDIR =
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
PROGPREFIX =
INSTALL = install

# What the results depend on is not for CFLAGS: no contraction, so that they are the same anywhere.
HOUSE = -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -Ilib
WARN = -Wall -Wextra -Wconversion -Wshadow
COMPILE = $(CC) $(HOUSE) $(WARN) $(CPPFLAGS) $(CFLAGS)

PROGRAMS = svm2bin replay synth score explore metric feedback-mask feedback-join update bin2txt loop
LIB = $(patsubst lib/%.c,build/lib/%.o,$(wildcard lib/*.c))
CMD = $(patsubst cmd/%.c,build/cmd/%.o,$(wildcard cmd/*.c))
HEADERS = $(wildcard lib/*.h cmd/*.h tests/*.h)

all: bin/rankpipe $(PROGRAMS:%=bin/%)

bin/rankpipe: $(CMD) $(LIB)
	@mkdir -p bin
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(CMD) $(LIB) -lm

$(PROGRAMS:%=bin/%): bin/rankpipe
	ln -sf rankpipe $@

build/%.o: %.c $(HEADERS)
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# Tests in C: exact mathematics, each a program of its own.
TESTS = $(patsubst tests/%.c,build/tests/%,$(wildcard tests/*.c))

build/tests/%: tests/%.c $(LIB) $(HEADERS)
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $< $(LIB) -lm

tests: $(TESTS)

# bats and mandoc are brought in where the machine has none.
check: all tests build/examples/data/make
	@sh tests/need bats mandoc
	@PATH="$$PWD/node_modules/.bin:$$PATH" bats --jobs 1 tests

demo: all
	@sh examples/demo

# The made-up queries of examples/data: the same bytes each time.
data: build/examples/data/make
	build/examples/data/make > examples/data/small.svm

build/examples/data/make: examples/data/make.c $(LIB) $(HEADERS)
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $< $(LIB) -lm

install: all
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 \
		$(DESTDIR)$(MANDIR)/man7
	$(INSTALL) -m 755 bin/rankpipe $(DESTDIR)$(BINDIR)/$(PROGPREFIX)rankpipe
	for p in $(PROGRAMS); do \
		ln -sf $(PROGPREFIX)rankpipe $(DESTDIR)$(BINDIR)/$(PROGPREFIX)$$p || exit 1; \
		$(INSTALL) -m 644 man/$$p.1 $(DESTDIR)$(MANDIR)/man1/$(PROGPREFIX)$$p.1 || exit 1; \
	done
	$(INSTALL) -m 644 man/rankpipe.1 $(DESTDIR)$(MANDIR)/man1/$(PROGPREFIX)rankpipe.1
	$(INSTALL) -m 644 man/rankpipe.5 $(DESTDIR)$(MANDIR)/man5/rankpipe.5
	$(INSTALL) -m 644 man/rankpipe.7 $(DESTDIR)$(MANDIR)/man7/rankpipe.7

uninstall:
	for p in rankpipe $(PROGRAMS); do \
		rm -f $(DESTDIR)$(BINDIR)/$(PROGPREFIX)$$p $(DESTDIR)$(MANDIR)/man1/$(PROGPREFIX)$$p.1; \
	done
	rm -f $(DESTDIR)$(MANDIR)/man5/rankpipe.5 $(DESTDIR)$(MANDIR)/man7/rankpipe.7

# The bare work that the programs are measured against, each a program of one file.
FLOORS = $(patsubst tests/bench/%.c,build/tests/bench/%,$(wildcard tests/bench/*.c))

build/tests/bench/%: tests/bench/%.c $(wildcard tests/bench/*.h)
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $<

bench: all $(FLOORS)
	@bash tests/bench/run
	@bash tests/bench/growth

clean:
	rm -rf bin build


.PHONY: all tests check demo data install uninstall bench clean
