# Tests of blocks.py: times of decoders and blocks become tables of docs/data
# MIT license; Copyright (c) 2026 the tflm authors

import blocks
import pytest

_PRINTED = """
decoder;FOMO;12 x 12 cells, 3 boxes found;10100
block;MFCC;1 s at 16 kHz;300000
done at 125 MHz
"""


def test_tables(tmp_path):
    rows = blocks.rows_of(_PRINTED)
    assert rows["block"] == [["MFCC", "1 s at 16 kHz", "300000"]]
    without = blocks.rows_of(_PRINTED.replace("300000", "200000"))
    blocks.write_tables(tmp_path, blocks.with_both_times(rows, without))
    assert (tmp_path / "blocks.csv").read_text().splitlines() == [
        "block,window,microseconds,no_wait_microseconds",
        "MFCC,1 s at 16 kHz,300000,200000",
    ]
    assert '"12 x 12 cells, 3 boxes found",10100,10100' in (tmp_path / "decoders.csv").read_text()


def test_other_cases():
    rows = blocks.rows_of(_PRINTED)
    with pytest.raises(ValueError, match="shorter"):
        blocks.with_both_times(rows, {"decoder": [], "block": []})
