# tflm: extents: records of a chain in bands (run/bands.py), as each band finds them
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import format as layout
from .record import Record

BANDS_KERNEL = layout.CONTROL_KERNEL + "bands"

_CURSOR_BYTES = 16  # in front of the record that runs
_END = 0x7FFFFFFF  # behind the last change of a list


# Where lists of changes may begin, from a number on: pairs of a word, in ascending order, and what
# is added to it, until an _END. None where they are no such lists.
def _lists(numbers, at):
    found = set()
    last = _END
    while at < len(numbers):
        found.add(at)
        if last == _END:
            last = -1
        if not last < numbers[at] <= _END:
            return None
        last = numbers[at]
        at += 1 if last == _END else 2
    return found if last == _END and at == len(numbers) else None


# The different records of a chain, a list of steps from op `first` on, which the record `data` of
# op `control` changes from band to band: (number, kernel, Record) of each. None of them may write
# where these records lie meanwhile. Calls `refuse` with op and kernel where something is wrong.
def made_records(model, first, count, control, data, refuse):
    numbers = struct.unpack_from("<%dI" % (len(data) // 4), data, 0)
    bands, block, _, words = numbers[:4]
    place = block >> 2, (block >> 2) + 4 * words
    if block & 15 or place[1] > model.head_bytes or not 0 < bands < 2 * len(numbers) - 8:
        refuse(control, BANDS_KERNEL)
    starts = struct.unpack_from("<%dH" % (bands + 1), data, 16)
    lists = _lists(numbers, 5 + bands // 2)
    if lists is None or any([start not in lists for start in starts]):
        refuse(control, BANDS_KERNEL)
    steps = []
    for i in range(first, first + count):
        kernel, _, _, record, operands, _ = model.op(i)
        if len(record) & 3 or len(record) + _CURSOR_BYTES > 4 * words:
            refuse(i, kernel)
        if kernel.startswith(layout.CUSTOM_KERNEL) or (
            kernel.startswith(layout.CONTROL_KERNEL) and kernel != layout.ROWS_KERNEL
        ):
            refuse(i, kernel)
        steps.append([i, kernel, operands, record, None])
    for band in range(bands):
        lists = [starts[1 + band], starts[0]]
        begin = 0
        for step in steps:
            i, kernel, operands, record, before = step
            made = record
            end = begin + len(record) // 4
            for which, times in enumerate((1, band - bands // 2)):
                k = lists[which]
                while k + 1 < len(numbers) and begin <= numbers[k] < end:
                    made = made if made is not record else bytearray(record)
                    at = 4 * (numbers[k] - begin)
                    value = struct.unpack_from("<I", made, at)[0] + numbers[k + 1] * times
                    struct.pack_into("<I", made, at, value & 0xFFFFFFFF)
                    k += 2
                lists[which] = k
            begin = end
            if made is before or made == before:
                continue
            step[4] = made
            record = Record(model, made, operands)
            record.locked = place
            if record.units:
                yield i, kernel, record
