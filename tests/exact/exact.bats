# The C programs that test exact mathematics.
load ../helper

@test "exp, log and log2 are within one ulp on ten million points" {
    "$ROOT/build/tests/exact/real" 10000000
}

@test "every estimate from the top k is unbiased: summed over all m! orders it is the gradient" {
    "$ROOT/build/tests/exact/unbiased" "$STRIDE"
}

@test "a document's chance of each position under plackett-luce is right to 1e-14, whatever the logits" {
    "$ROOT/build/tests/exact/placement"
}

@test "a log of one policy estimates what another would show without bias: summed over all orders of both" {
    "$ROOT/build/tests/exact/targets" "$STRIDE"
}

@test "slam, slam-ap and minimax step along a subgradient of their losses, ties by the rule" {
    "$ROOT/build/tests/exact/slam"
}

@test "a query is its pairs, each once in a fair order; solar1 and solar2 solve what they say" {
    "$ROOT/build/tests/exact/pairs"
}

@test "prank, prank-pair and the committee do what their definitions say" {
    "$ROOT/build/tests/exact/steps"
}

@test "ridge solves the normal equations of what was seen, and takes no more of the rest than a mean" {
    "$ROOT/build/tests/exact/ridge"
}

@test "a sketch is the dense matrix while it can be, its diagonal always; what it drops makes nothing more certain" {
    "$ROOT/build/tests/exact/sketch"
}

@test "pdgd: its mean step over all orders and clicks is the preferences'; dbgd: fair rivals and drafts" {
    "$ROOT/build/tests/exact/click_learners"
}

@test "ftpl: summed over all draws of a block's rounds, what it teaches is the block's mean" {
    "$ROOT/build/tests/exact/ftpl"
}

@test "subset and exp3m: over all sets and choices, chances are q, propensities k q / n, means the losses" {
    "$ROOT/build/tests/exact/subset"
}

@test "every learner: dense or sparse, stopped or not, a part seen or alone, to the bit" {
    "$ROOT/build/tests/exact/same_bits"
}

@test "weights in a ball are the projection, dense or sparse, stopped or not, whole or by changes" {
    "$ROOT/build/tests/exact/ball"
}

@test "adaptive steps are the bets that they are defined as, and lose no more than their bound" {
    "$ROOT/build/tests/exact/adaptive"
}

@test "learners by gradient begin with the order of a base, by steps, in a ball and by bets" {
    "$ROOT/build/tests/exact/offset"
}

@test "a regret is what the best of all m! fixed rankings would have had more" {
    "$ROOT/build/tests/exact/regret"
}

@test "memory: a worth is what the sorted list's DCG gains on average, for a value drawn first" {
    "$ROOT/build/tests/exact/worth"
}

@test "memory: of clicks, theta and strength are those of the list of impressions, and come out as drawn" {
    "$ROOT/build/tests/exact/evidence"
}

@test "dense, sparse and unit features give the same products and rows to the bit" {
    "$ROOT/build/tests/exact/matrix"
}

@test "compact features are offset + step * number, to the bit, and others are refused" {
    "$ROOT/build/tests/exact/compact"
}

@test "features that are scaled are what the definition says, from dense rows as from sparse ones" {
    "$ROOT/build/tests/exact/scaled"
}

@test "orders, their inversions, and random numbers are what they are said to be" {
    "$ROOT/build/tests/exact/order"
}

@test "lists of millions: sorted in pieces they are sorted right, and a signal stops each loss that sorts" {
    "$ROOT/build/tests/exact/stopped"
}

@test "blocks have the rounds and the draws that are promised for them" {
    "$ROOT/build/tests/exact/blocks"
}

@test "simulated people click as likely as the papers say, to the last cell of the draws" {
    "$ROOT/build/tests/exact/clicks"
}

@test "decimals, a million in a release, become the floats that strtof makes of them" {
    "$ROOT/build/tests/exact/number" $((1000000 / STRIDE))
}

@test "features are read alike, to the bit, with the vectors of this processor and without" {
    small_text >text
    "$ROOT/build/tests/exact/features" $((300000 / STRIDE)) text "$ROOT"/examples/data/*.svm
}

@test "the text of all data sets is read alike with the vectors of this processor and without" {
    need_data MQ2008
    "$ROOT/build/tests/exact/features" 1 "$ROOT"/../shared/data/*/*.txt
}

@test "numbers of each kind, a million in a release, are printed with the bytes of printf" {
    "$ROOT/build/tests/exact/digits" $((1000000 / STRIDE))
}

@test "separable queries: slam keeps its bound, minimax ranks the same for every eta" {
    "$ROOT/build/tests/exact/separable"
}

@test "a line of progress has the right words and numbers, fits, and looks at the clock seldom" {
    "$ROOT/build/tests/exact/progress"
}

@test "toprank is its paper's algorithm, round by round" {
    "$ROOT/build/tests/exact/toprank"
}

@test "kernel: its pairs and steps are those of the perceptron on kernels, with a budget" {
    "$ROOT/build/tests/exact/kernel"
}

@test "judging from logs: summed over all m! orders, ips is the measure that every label gives" {
    "$ROOT/build/tests/exact/offline"
}

@test "estimates from clicks are unbiased: summed over all orders and clicks they are the measure" {
    "$ROOT/build/tests/exact/click_estimates"
}

@test "crc32c gives the published values, by every variant, at each length and alignment" {
    "$ROOT/build/tests/exact/crc32c"
}

@test "siphash gives the published test vectors, however a message is cut" {
    "$ROOT/build/tests/exact/siphash"
}

@test "pairs of query and document are found again, keys rising, at 64 bytes each; in arrays too" {
    "$ROOT/build/tests/exact/memory_table"
}

@test "memory is generalised least squares of all answers, with an effect of each pair, to 1e-12" {
    "$ROOT/build/tests/exact/memory"
}

@test "equal scores: every order is equally likely, whatever the line order" {
    "$ROOT/build/tests/exact/ties"
}

@test "a memory's keys are hashes of query and document; without a qid, or with a name twice, a fault" {
    "$ROOT/build/tests/exact/memory_keys"
}

@test "fingerprints are sums over features that are not 0, dense or sparse, with every kernel" {
    "$ROOT/build/tests/exact/fingerprint"
}

@test "a prior is another start of the joint posterior of weights and effects, to 1e-9" {
    "$ROOT/build/tests/exact/prior"
}

@test "a start at the engine's order is the joint posterior whose mean follows the answers, to 1e-8" {
    "$ROOT/build/tests/exact/base"
}

@test "ranks are drawn by the law of Zipf, and which round has which rank is a fair draw" {
    "$ROOT/build/tests/exact/zipf"
}

@test "a set of round numbers has what was entered, and runs take no memory" {
    "$ROOT/build/tests/exact/number_set"
}

@test "given how ties were broken, every policy shows documents and pairs with the propensities it says" {
    "$ROOT/build/tests/exact/explorer"
}

@test "within a bound of base: of all orders the best by the wish, and none loses more of DCG than it may" {
    "$ROOT/build/tests/exact/bounded"
}

@test "each qid is new once, and its hash has a random key" {
    "$ROOT/build/tests/exact/name_table"
}

@test "the status file of serve has the quantiles, sums and counts of known latencies" {
    "$ROOT/build/tests/exact/status" status
}

@test "learners of shares add up to one of the whole log, to 1e-9, and what memory keeps to the bit" {
    "$ROOT/build/tests/exact/sums"
}

@test "judgements from clicks: gradients, posterior means, alternations and errors by other derivations" {
    "$ROOT/build/tests/exact/judgements"
}

@test "paired tests have the p values of scipy, of closed forms and of all signs; Holm is worked by hand" {
    "$ROOT/build/tests/exact/paired"
}

@test "intervals of simulated pairs hold the mean of 93 to 97 of 100, and p keeps its level" {
    "$ROOT/build/tests/exact/paired" coverage
}

@test "a TREC run: the scores of queries and documents, in any order; what is no run is refused" {
    "$ROOT/build/tests/exact/trec_run"
}

@test "clusters: errors are those of leaving out each, or of a numeric gradient; p is an enumeration" {
    "$ROOT/build/tests/exact/clusters"
}

@test "clusters: intervals of clients with heavy tails hold the mean as often as compare(1) says" {
    in_release
    "$ROOT/build/tests/exact/clusters" coverage
}

@test "confidence sequences: the width is the mixture's, the evidence has the mean 1 and seldom reaches 20" {
    "$ROOT/build/tests/exact/sequence"
}
