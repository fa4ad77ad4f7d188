# Kernel language: which registers hold values that are still needed
# MIT license; Copyright (c) 2026 the tflm authors

LABELS = ("label", "copies")  # operations that jumps lead to
ENDS = ("jump", "ret", "into")  # operations that do not continue with the next one


# [(first operation, end)] of the basic blocks.
def _blocks(code):
    bounds, begin = [], 0
    for i, op in enumerate(code):
        if op.name in LABELS and i > begin:
            bounds.append((begin, i))
            begin = i
        elif (op.to or op.name in ENDS) and op.name not in LABELS:
            bounds.append((begin, i + 1))
            begin = i + 1
    return [*bounds, (begin, len(code))] if begin < len(code) else bounds


# The blocks and the bits of registers that are live after each one.
def _live_after_blocks(code):
    blocks = _blocks(code)
    at, facts = {}, []
    for number, (begin, end) in enumerate(blocks):
        used = written = 0
        for op in code[begin:end][::-1]:
            bits = op.writes
            written |= bits
            used = used & ~bits | op.reads
        if code[begin].name in LABELS:
            at.update(dict.fromkeys(code[begin].to, number))
        facts.append((used, written))
    before, after, changed = [0] * (len(blocks) + 1), [0] * len(blocks), True
    while changed:
        changed = False
        for number in range(len(blocks) - 1, -1, -1):
            last = code[blocks[number][1] - 1]
            live = 0 if last.name in ENDS else before[number + 1]
            if last.name not in LABELS:
                for label in last.to:
                    live |= before[at[label]]
            after[number] = live
            used, written = facts[number]
            live = live & ~written | used
            if live != before[number]:
                before[number], changed = live, True
    return blocks, after


def liveness(code):
    """Return the bits of the registers that are live after each operation."""
    live_after = [0] * len(code)
    for (begin, end), live in zip(*_live_after_blocks(code), strict=True):
        for i in range(end - 1, begin - 1, -1):
            live_after[i] = live
            live = live & ~code[i].writes | code[i].reads
    return live_after


def without_dead(code, pure):
    """Return the code without operations of the names `pure` whose results nobody reads, and
    liveness() of it.
    """
    while True:
        kept, live_after = [], []
        for (begin, end), live in zip(*_live_after_blocks(code), strict=True):
            block, after = [], []
            for op in code[begin:end][::-1]:
                written = op.writes
                if op.name in pure and not written & live:
                    continue
                block.append(op)
                after.append(live)
                live = live & ~written | op.reads
            kept += block[::-1]
            live_after += after[::-1]
        if len(kept) == len(code):
            return code, live_after
        code = kept
