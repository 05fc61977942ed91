#include "text/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int print_end(struct print *print)
{
    if (print->failed == 0)
        print->failed = writer_bytes(print->out, print->text, print->held, print->fault);
    print->held = 0;
    return print->failed;
}

void print_bytes(struct print *print, const char *bytes, size_t n)
{
    if (n > PRINT_BYTES) {
        if (print_end(print) == 0)
            print->failed = writer_bytes(print->out, bytes, n, print->fault);
        return;
    }
    char *at = print_room(print, n);
    memcpy(at, bytes, n);
    print_piece(print, at + n);
}

void print_word(struct print *print, const char *word)
{
    print_bytes(print, word, strlen(word));
}

void print_text(struct print *print, const char *format, ...)
{
    va_list values;
    char text[1024];
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    print_word(print, text);
}
