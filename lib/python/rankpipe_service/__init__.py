"""rankpipe_service: the learner of a ranking service. rankpipe-service(1) is its page; cmd/service has its actions."""
# SPDX-License-Identifier: ISC
