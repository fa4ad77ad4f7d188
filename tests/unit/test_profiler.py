# Tests of the Profiler's totals and tables
# MIT license; Copyright (c) 2026 the tflm authors

from types import SimpleNamespace

import pytest
from tflm.introspection.profiler import Profiler
from unit import sample_models
from unit.on_device import device, model_files


# A Profiler after two invokes: (builtin code, kernel, ticks) of each op.
def profiler(*ops):
    result = Profiler()
    result._ops = [
        SimpleNamespace(node_index=i, builtin_code=code, kernel=kernel)
        for i, (code, kernel, _) in enumerate(ops)
    ]
    result.ticks = [ticks for _, _, ticks in ops]
    result.invokes = 2
    return result


@pytest.fixture
def measured():
    return profiler(
        (9, "fully_connected.eval_int8", 30),
        (32, "custom.Atan", 50),
        (9, "fully_connected.eval_int8", 40),
        (32, "signal_window.eval_int16", 4),
        (25, "softmax.eval_int8", 50),
    )


def test_totals(measured):
    assert measured.totals() == [
        ("FULLY_CONNECTED", 2, 70), ("Atan", 1, 50), ("SOFTMAX", 1, 50), ("signal_window", 1, 4),
    ]  # fmt: skip
    assert measured.total_ticks() == 174


def test_printed(measured):
    lines = repr(measured).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert len(lines) == 1 + 5 + 4 + 1
    assert lines[1].split() == ["0", "FULLY_CONNECTED", "fully_connected.eval_int8", "15", "17.2%"]
    assert lines[6].split() == ["all", "FULLY_CONNECTED", "2", "calls", "35", "40.2%"]
    assert lines[9].split() == ["all", "signal_window", "1", "call", "2", "2.3%"]
    assert lines[10].split() == ["all", "together", "87", "100.0%"]


# An operator is one row, for all its kernels in whatever list; no name is cut.
def test_one_row_for_each_operator(capsys):
    long = "signal_filter_bank_spectral_subtraction.eval_uint32"
    result = profiler(
        (2, "copy.eval_bytes", 10), (44, "unidirectional_sequence_lstm.eval_integers", 20),
        (2, "copy.eval_strided", 30), (32, long, 40),
    )  # fmt: skip
    for op, node in zip(result._ops, (3, 1, 3, 0), strict=True):
        op.node_index = node
    lines = repr(result).splitlines()
    assert all(len(line) <= 80 for line in lines)
    rows = [line.split() for line in lines[1:] if not line.startswith(" all")]
    assert rows == [
        ["0", "signal_filter_bank_spectral_", "20", "40.0%"], [long],
        ["1", "UNIDIRECTIONAL_SEQUENCE_LSTM", "10", "20.0%"],
        ["unidirectional_sequence_lstm.eval_integers"],
        ["3", "CONCATENATION", "copy.eval_bytes", "20", "40.0%"],
    ]  # fmt: skip
    assert [event[0] for event in result.events()] == [3, 1, 3, 0]


def test_csv(measured, capsys):
    measured.log_csv()
    measured.log_ticks_per_tag_csv()
    assert capsys.readouterr().out.splitlines() == [
        '"Event","Tag","Ticks"',
        "0,FULLY_CONNECTED,30",
        "1,Atan,50",
        "2,FULLY_CONNECTED,40",
        "3,signal_window,4",
        "4,SOFTMAX,50",
        '"Unique Tag","Total ticks across all events with that tag."',
        "FULLY_CONNECTED, 70",
        "Atan, 50",
        "SOFTMAX, 50",
        "signal_window, 4",
        '"total number of ticks", 174',
    ]


def test_empty_profiler(capsys):
    empty = Profiler()
    assert empty.totals() == [] and len(repr(empty).splitlines()) == 1
    empty.log_ticks_per_tag_csv()
    assert capsys.readouterr().out.splitlines()[-1] == '"total number of ticks", 0'


@pytest.mark.parametrize("file_format", ["FLAT", "TFLITE"])
def test_on_the_device(tmp_path, file_format):
    lines = device(
        """
        profiler = tflm.Profiler()
        interp = tflm.Interpreter(PATH, profiler=profiler)
        for _ in range(3):
            interp.invoke()
        totals = profiler.totals()
        assert sorted([(t[0], t[1]) for t in totals]) == [("FULLY_CONNECTED", 2), ("SOFTMAX", 1)]
        assert [t[2] for t in totals] == sorted([t[2] for t in totals], reverse=True)
        assert sum([t[2] for t in totals]) == profiler.total_ticks()
        profiler.log_csv()
        profiler.log_ticks_per_tag_csv()
        """,
        PATH=model_files(tmp_path, sample_models.classifier())[file_format],
    )
    assert [line.split(",")[1] for line in lines[1:4]] == ["FULLY_CONNECTED"] * 2 + ["SOFTMAX"]
    assert lines[-1].startswith('"total number of ticks", ')
