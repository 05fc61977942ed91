"""rankpipe_service: the learner of a ranking service. rankpipe-service(1) is its page; cmd/service has its actions."""
# SPDX-License-Identifier: ISC

import sys

from rankpipe_front import shown

HOUR, DAY = 3600000, 86400000  # milliseconds
AHEAD = 600000  # a record may be dated so much later than now
WAITING = 30  # days of running for which one that is dated later waits in its file
PENDING, COUNTS, ASIDE, UNUSED, BEYOND = range(5)  # what an answer is


class Failed(Exception):
    """The action cannot be done, and why. Nothing has changed."""


class Lost(Failed):
    """service.db does not know the models that are there."""


def say(text):
    print("service: " + shown(text), file=sys.stderr, flush=True)
