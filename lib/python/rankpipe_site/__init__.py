"""rankpipe_site: the program `rankpipe site`, a search page over a folder that learns from clicks."""
# SPDX-License-Identifier: ISC
