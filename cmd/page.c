#include "page.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/names.h"
#include "place.h"
#include "programs.h"

enum { PATH_SIZE = 4096, NAME_SIZE = 80 };

/* A page by the name it may have, and where the programs are. */
struct page {
    char name[NAME_SIZE];
    char section;
    const char *folder; /* of the executable; NULL: not known */
};

/* Its file: in the source, or where it is installed. */
static bool find_file(const struct page *page, char path[PATH_SIZE])
{
    if (!page->folder)
        return false;
    snprintf(path, PATH_SIZE, "%s/../man/%s.%c", page->folder, page->name, page->section);
    if (access(path, R_OK) == 0)
        return true;
    snprintf(path, PATH_SIZE, "%s/../share/man/man%c/%s.%c", page->folder, page->section,
             page->name, page->section);
    return access(path, R_OK) == 0;
}

/* Does man know it by name? */
static bool man_knows(const struct page *page)
{
    char section[] = { page->section, '\0' };
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++)
            dup2(nowhere, fd);
        execvp("man", (char *[]){ "man", "-w", section, (char *)page->name, NULL });
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Becomes man, if the page exists; 0 if it does not. */
static int show(const struct page *page, struct fault *fault)
{
    char path[PATH_SIZE], section[] = { page->section, '\0' };
    if (find_file(page, path)) {
        execvp("man", (char *[]){ "man", path, NULL });
        execvp("mandoc", (char *[]){ "mandoc", "-a", path, NULL });
        return fault_system(fault, "cannot show %s: cannot run man", path);
    }
    if (man_knows(page)) {
        execvp("man", (char *[]){ "man", section, (char *)page->name, NULL });
        return fault_system(fault, "cannot run man");
    }
    return 0;
}

/* Shows the page before-name of a section, if it exists. Pages of section 1 also begin with what
 * comes before "rankpipe" in argv0. */
static int show_name(const char *argv0, char section, const char *before, const char *name,
                     struct fault *fault)
{
    char *folder = place_folder(argv0);
    struct page page = { .section = section, .folder = folder };
    const char *slash = strrchr(argv0, '/'), *base = slash ? slash + 1 : argv0;
    const char *own = strstr(base, "rankpipe");
    int prefix = section == '1' && own ? (int)(own - base) : 0;
    snprintf(page.name, sizeof page.name, "%.*s%s%.40s", prefix, base, before, name);
    int result = show(&page, fault);
    free(folder);
    return result;
}

static int no_page(const char *name, struct fault *fault)
{
    static const char *const others[] = {
        "rankpipe", "learners", "operating", "logs", "python", "compatibility",
    };
    char quoted[FAULT_QUOTE];
    struct names names = { 0 };
    for (size_t i = 0; programs[i]; i++)
        names_offer(&names, name, programs[i]->name);
    for (size_t i = 0; place_script(i); i++)
        names_offer(&names, name, place_script(i));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        names_offer(&names, name, others[i]);
    (void)fault_quote(quoted, name, strlen(name));
    return names.nearest ? fault_usage(fault, "no page %s: did you mean %s?", quoted, names.nearest)
                         : fault_usage(fault, "no page %s", quoted);
}

/* A program's page may be installed with "rankpipe-" before its name, other pages always are, also
 * those of scripts. */
int page_open(const char *argv0, const char *name, struct fault *fault)
{
    bool program = name && (program_named(name) || strcmp(name, "rankpipe") == 0);
    bool script = name && place_is_script(name);
    char section = program || script ? '1' : '7';
    if (name && !strchr(name, '/') && show_name(argv0, section, "rankpipe-", name, fault) < 0)
        return -1;
    if (name && !program && !script)
        return no_page(name, fault);
    if (!script && show_name(argv0, section, "", name ? name : "rankpipe", fault) < 0)
        return -1;
    return fault_other(fault, "the page %s%s(%c) is not installed", script ? "rankpipe-" : "",
                       name ? name : "rankpipe", section);
}
