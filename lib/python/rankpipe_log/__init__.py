"""rankpipe_log: the logs of other systems as the table of log2bin. rankpipe-log(1) is its page; cmd/log has the command
line. A form is a file here, with read(sources, table, options) and OPTIONS, the letters of those it takes."""
# SPDX-License-Identifier: ISC
