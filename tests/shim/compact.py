#!/usr/bin/env python3
"""compact.py BITS < stream: the rounds with features of 8 or 16 bits, as svm2bin -p wrote them up to 0.4.0: offset +
step * number for each feature of a round. Zeros stay zeros."""
import os
import sys
from array import array

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib/python"))
import rankpipe  # noqa: E402


def grid(values, top):
    """Offset and step, as floats, and the numbers of these values."""
    least, most = min(values), max(values)
    step, = array("f", [(most - least) / top])
    offset = least
    if least < 0 <= most:
        offset, = array("f", [-step * round(-least / step)])
    return offset, step, [min(top, round((value - offset) / step)) if step else 0 for value in values]


bits = int(sys.argv[1])
with rankpipe.Writer(sys.stdout.buffer) as writer:
    for shown in rankpipe.read(sys.stdin.buffer):
        grids = [grid([float(value) for value in values], 2 ** bits - 1) for values in zip(*shown.dense())]
        for name in [name for name in ("x", "ptr", "idx", "val") if name in shown]:
            del shown[name]
        if grids:
            shown["offset"] = array("f", [offset for offset, _, _ in grids])
            shown["step"] = array("f", [step for _, step, _ in grids])
            shown["number"] = array("B" if bits == 8 else "H",
                                    [number for row in zip(*(numbers for _, _, numbers in grids)) for number in row])
        writer.write(shown)
