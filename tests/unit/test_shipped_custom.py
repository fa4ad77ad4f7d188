# Tests of custom operators that TFLM has: found by name, overridden, ending a run, shared arena
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from support.builder import ModelBuilder
from support.single_op import Tensor, single_op
from tflm_tools.inspection.survey import survey
from unit.on_device import device, model_files


# A delay of three samples.
def delay():
    tensors = [Tensor((2,), "int16")], [Tensor((2,), "int16")]
    return single_op("SignalDelay", *tensors, custom={"delay_length": 3})


# A circular buffer that runs the next operators each third time.
def circular_buffer():
    builder = ModelBuilder()
    tensors = [builder.tensor((1, 1, 1, 2), "int8", scale=1.0, zero_point=0)]
    tensors.append(builder.tensor((1, 3, 1, 2), "int8", scale=1.0, zero_point=0, variable=True))
    tensors.append(builder.tensor((1, 3, 1, 2), "int8", scale=1.0, zero_point=0))
    builder.custom("CIRCULAR_BUFFER", tensors[:1], tensors[1:2], {"cycles_max": 3})
    builder.operator("RELU", tensors[1:2], tensors[2:])
    builder.io(tensors[:1], tensors[2:])
    return builder.build()


def test_survey_has_them():
    assert survey(delay())[2] == []


@pytest.mark.parametrize("file_format", ["FLAT", "TFLITE"])
def test_abort(tmp_path, file_format):
    lines = device(
        """
        profiler = tflm.Profiler()
        for keywords in ({}, {"profiler": profiler}):
            interp = tflm.Interpreter(tflm.load(PATH), **keywords)
            for i in range(7):
                interp.input(0).data[0] = interp.input(0).data[1] = i
                print(interp.invoke(), list(interp.output(0).data) if i in (2, 5) else "")
                if i == 3:
                    interp.reset()
        """,
        PATH=model_files(tmp_path, circular_buffer())[file_format],
    )
    # Reset after the fourth run: the buffer is empty and waits for three more.
    wanted = ["15 ", "15 ", "None [0, 0, 1, 1, 2, 2]", "15 "]
    assert lines[:4] == wanted
    assert [line.split()[0] for line in lines[4:7]] == ["15", "15", "None"]
    assert lines[7:] == lines[:7]


def test_override(tmp_path):
    lines = device(
        """
        class Negate:
            def invoke(self, context, node):
                for i in range(2):
                    node.outputs[0].data[i] = -node.inputs[0].data[i]

        resolver = tflm.OpResolver()
        resolver.add_custom("SignalDelay", Negate())
        interp = tflm.Interpreter(tflm.load(TFLITE), resolver=resolver)
        interp.input(0).data[:] = array("h", [5, -7])
        interp.invoke()
        print(list(interp.output(0).data))
        """.replace("class Negate", "from array import array\n        class Negate", 1),
        **model_files(tmp_path, delay()),
    )
    assert lines == ["[-5, 7]"]


# State of two Interpreters is separate in a shared arena; each can be reset.
@pytest.mark.parametrize("file_format", ["FLAT", "TFLITE"])
def test_shared_arena(tmp_path, file_format):
    lines = device(
        """
        from array import array
        arena = tflm.Arena(4096)
        model = tflm.load(PATH)
        both = [tflm.Interpreter(model, arena=arena) for _ in range(2)]
        for i in range(3):
            for k in range(2):
                both[k].input(0).data[:] = array("h", [10 * k + 2 * i + 1, 10 * k + 2 * i + 2])
                both[k].invoke()
                print(list(both[k].output(0).data))
            if i == 1:
                both[0].reset()
        """,
        PATH=model_files(tmp_path, delay())[file_format],
    )
    assert lines == ["[0, 0]", "[0, 0]", "[0, 1]", "[0, 11]", "[0, 0]", "[12, 13]"]
