"""rankpipe_train: what cmd/train runs and makes of it. rankpipe-train(1) is its page; cmd/train has the command line.

programs.py runs programs and reads tables; learners.py has the rows of the table; own.py runs a learner that is a
program of its own; runs.py does the runs; results.py makes tables, curves and the picture of them."""
# SPDX-License-Identifier: ISC
