"""api.py: what `rankpipe api` was called; it runs that, for this release."""
# SPDX-License-Identifier: ISC
import os, sys  # noqa: E401
HERE = os.path.dirname(os.path.realpath(__file__))
print("api.py: run rankpipe api, with the same words; api.py goes with the next release", file=sys.stderr, flush=True)
os.execv(next(filter(os.path.exists, (HERE + "/api", HERE + "/../../cmd/api"))), ["api", *sys.argv[1:]])
