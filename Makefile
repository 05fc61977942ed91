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

PROGRAMS = svm2bin replay score explore metric feedback-mask update bin2txt
LIB = $(patsubst lib/%.c,build/lib/%.o,$(wildcard lib/*.c))
CMD = $(patsubst cmd/%.c,build/cmd/%.o,$(wildcard cmd/*.c))
HEADERS = $(wildcard lib/*.h cmd/*.h)

all: bin/rankpipe $(PROGRAMS:%=bin/%)

bin/rankpipe: $(CMD) $(LIB)
	@mkdir -p bin
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(CMD) $(LIB) -lm

$(PROGRAMS:%=bin/%): bin/rankpipe
	ln -sf rankpipe $@

build/%.o: %.c $(HEADERS)
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

clean:
	rm -rf bin build

.PHONY: all clean
