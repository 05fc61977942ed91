"""options: the command lines of the API, and of programs that start it."""
# SPDX-License-Identifier: ISC

import argparse
import os
import re
import resource
import sys

import rankpipe_front as front


NUMBERS = (  # option, name, default, least, most
    ("-c", "clients", 1000, 1, 100000),
    ("-e", "each", 100, 0, 100000),
    ("-g", "grade", 4, 1, 1000),
    ("-i", "idle", 60, 1, 86400),
    ("-j", "processes", 1, 1, 256),
    ("-m", "bytes", 1 << 20, 1, 1 << 26),
    ("-n", "documents", 1000, 1, 1000000),
    ("-r", "rate", 50, 0, 1000000),
    ("-w", "wait", 5, 1, 3600))


def number(least, most):
    def parsed(text):
        if not re.fullmatch("[0-9]{1,10}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError("%r is not a whole number from %d to %d" % (text, least, most))
        return int(text)
    return parsed


def address(text):
    """A pair of host and port, or a path."""
    host, _, port = text.rpartition(":")
    if not re.fullmatch("[0-9]{1,5}", port) or not host:
        return text
    if int(port) > 65535:
        raise argparse.ArgumentTypeError("%r has a port above 65535" % text)
    return host.strip("[]"), int(port)


def port(text):
    """The same, of a port of this machine; None of "none"."""
    found = None if text == "none" else address(text)
    if isinstance(found, str):
        raise argparse.ArgumentTypeError("%r is not host:port, or none" % text)
    return found


class Parser(argparse.ArgumentParser):
    """One whose -h prints `text`, and that says in a line what is wrong."""

    def __init__(self, prog, text):
        super().__init__(prog=prog)
        self.text = text

    def format_help(self):
        return self.text.strip() + "\n"

    def error(self, message):
        self.exit(2, "%s: %s; see: rankpipe %s -h\n" % (self.prog, message, self.prog))


def add_options(parser):
    """Adds those of the API that do not say where its files are."""
    add = parser.add_argument
    add("-l", dest="listen", type=address, default="127.0.0.1:8080")
    for letter, name, value, least, most in NUMBERS:
        add(letter, dest=name, type=number(least, most), default=value)
    add("--proxy", action="append", type=front.proxy, default=[])
    add("--host", action="append", type=str.lower, default=[])
    add("--unordered", action="store_true")
    add("-x", dest="model")
    add("--admin", type=port)


def words(options):
    """The words of a command line that has these options."""
    said = ["-l", options.listen if isinstance(options.listen, str) else "%s:%d" % options.listen]
    for letter, name, *_ in NUMBERS:
        said += [letter, str(getattr(options, name))]
    said += ["--proxy=%s" % proxy for proxy in options.proxy] + ["--host=%s" % host for host in options.host]
    said += ["--admin", "%s:%d" % options.admin] if options.admin else []
    return said + ["--unordered"] * options.unordered + (["-x", options.model] if options.model else [])


def say_words(text, words):
    """Prints the words of a client, which rankpipe service erase takes: today's, and those of kept days."""
    parser = Parser("api", text)
    add_keys(parser)
    parser.add_argument("--word", required=True)
    options = parser.parse_args(words)
    own = options.word if options.word.startswith("id:") else None
    network = None if own else front.network(options.word)
    if not own and not network:
        parser.error("--word %s is neither an IP address nor id:NAME" % options.word)
    if not options.keys:
        parser.error("--word needs -k, the folder of the keys")
    found = front.Clients(options.keys).words(options.word, own)
    if not found:
        parser.exit(1, "api: %s has no key: no client has had a word since it was removed\n" % options.keys)
    print("\n".join("%s\t%s" % each for each in found))
    if network:
        print("api: this is the word of all addresses of %s" % network, file=sys.stderr)


def add_keys(parser):
    parser.add_argument("-k", dest="keys", default=os.environ.get("RUNTIME_DIRECTORY"))


def parse(text, words):
    """The options of `rankpipe api`, whose usage is the text."""
    parser = Parser("api", text)
    add_options(parser)
    add_keys(parser)
    add = parser.add_argument
    parser.set_defaults(listen=None)  # 127.0.0.1:8080, or a socket that is passed
    add("-s", dest="state")
    add("socket")
    add("answers")
    options = parser.parse_args(words)
    refused = front.as_root()
    if refused:
        parser.exit(1, "api: %s\n" % refused)
    if not os.path.isdir(options.answers) or not os.access(options.answers, os.W_OK):
        parser.error("%s is not a folder to write to" % options.answers)
    if options.state is None:
        options.state = os.path.join(os.path.dirname(os.path.realpath(options.answers)), "service.json")
    if options.keys and not (os.path.isdir(options.keys) and os.access(options.keys, os.W_OK)):
        parser.error("-k %s is not a folder to write to" % options.keys)
    files, most = options.clients + 64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most != resource.RLIM_INFINITY and files > most:
        parser.error("-c %d needs %d file descriptors, but this process may have only %d" %
                     (options.clients, files, most))
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    return options
