/* driver: a target without a fuzzer behind it: TARGET [file ...] runs it on each file, or on
 * standard input. For the tests, for a finding in a debugger, and for AFL++. */
#include "target.h"

static void run(FILE *file)
{
    enum { ROOM = 1 << 20 };
    uint8_t *all = malloc(ROOM);
    size_t n = all ? fread(all, 1, ROOM, file) : 0;
    uint8_t *bytes = malloc(n ? n : 1); /* of its very length: a step too far is noticed */
    hold(all && bytes, "there is memory");
    memcpy(bytes, all, n);
    free(all);
    (void)LLVMFuzzerTestOneInput(bytes, n);
    free(bytes);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        run(stdin);
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            fprintf(stderr, "cannot open %s\n", argv[i]);
            return 1;
        }
        run(file);
        fclose(file);
    }
    return 0;
}
