# Tests of OpResolver: what it finds, what it refuses, and how builtin operators are overridden
# MIT license; Copyright (c) 2026 the tflm authors

import re
import types

import pytest
from support.single_op import Tensor, single_op
from tflm.errors import InputError, ModelError, UnsupportedError
from tflm.introspection.op_names import name
from tflm.op_resolver import OpResolver
from tflm.prepare.table import OPS
from tflm_tools.flat.flatten import flatten
from unit import sample_models
from unit.on_device import device, model_files


# Return an operator of the schema that tflm does not have.
def missing_operator():
    code = next(code for code in (133, 132, 135, 36, 116, 130, 40) if code not in OPS)
    return code, name(code)


def test_every_builtin_is_found():
    for code in OPS:
        assert callable(OpResolver().builtin(code).prepare)


def test_missing_builtin_says_what_to_add():
    code, title = missing_operator()
    with pytest.raises(UnsupportedError) as caught:
        OpResolver().builtin(code)
    assert str(caught.value) == (
        f"tflm has no operator {title} (builtin code {code}); use "
        f"resolver.add_builtin({code}, module), or change the model"
    )


def test_missing_builtin_in_both_formats(tmp_path):
    code, title = missing_operator()
    x = [Tensor((4,), "float32")]
    model = single_op(title, x, [Tensor((4,), "float32")])
    message = f"tflm has no operator {title} (builtin code {code})"
    with pytest.raises(UnsupportedError, match=re.escape(message)):
        flatten(model)
    path = tmp_path / "missing.tflite"
    path.write_bytes(model)
    device(
        """
        interp = tflm.Interpreter(tflm.load(PATH))
        assert MESSAGE in raises(UnsupportedError, interp.allocate_tensors)
        assert MESSAGE in raises(UnsupportedError, interp.invoke)
        """,
        PATH=str(path),
        MESSAGE=message,
    )


@pytest.mark.parametrize("code", [-1, 127, 210, 1 << 20])
def test_codes_outside_the_schema(code):
    with pytest.raises(UnsupportedError, match=f"builtin code {code}"):
        OpResolver().builtin(code)


def test_missing_prepare_file(monkeypatch):
    monkeypatch.setitem(OPS, 9, "no_such_file")
    with pytest.raises(UnsupportedError, match=r"install tflm/prepare/no_such_file\.py"):
        OpResolver().builtin(9)


def test_builtin_is_overridden():
    resolver = OpResolver()
    modules = [types.SimpleNamespace(prepare=lambda context, node: None) for _ in range(2)]
    for module in modules:
        resolver.add_builtin(9, module)
        assert resolver.builtin(9) is module
    assert OpResolver().builtin(9) not in modules


def test_own_prepare_module_is_used():
    calls = []

    class Mine:
        @staticmethod
        def prepare(context, node):
            calls.append(str(node))
            context.emit("mine.eval", ("output",), 1, output=node.output(0))

    resolver = OpResolver()
    resolver.add_builtin(9, Mine)
    image = flatten(sample_models.classifier(), resolver)
    assert calls and calls == ["op 0 FULLY_CONNECTED", "op 1 FULLY_CONNECTED"] * (len(calls) // 2)
    assert b"\x09mine.eval" in image


@pytest.mark.parametrize("module", [None, object(), "add"])
def test_invalid_prepare_modules(module):
    with pytest.raises(InputError, match="custom operators need add_custom"):
        OpResolver().add_builtin(9, module)


def test_custom_code_as_builtin():
    module = types.SimpleNamespace(prepare=lambda context, node: None)
    with pytest.raises(InputError, match="custom operators need add_custom"):
        OpResolver().add_builtin(32, module)


def test_unresolved_custom_op():
    with pytest.raises(UnsupportedError) as caught:
        OpResolver().custom("Atan")
    assert str(caught.value) == (
        "unresolved custom op: Atan; use resolver.add_custom('Atan', registration) and "
        "Interpreter(resolver=)"
    )


def test_custom_is_overridden():
    resolver = OpResolver()
    registrations = [types.SimpleNamespace(invoke=lambda context, node: None) for _ in range(2)]
    for registration in registrations:
        resolver.add_custom("Atan", registration)
        assert resolver.custom("Atan") is registration


@pytest.mark.parametrize(
    ("title", "registration"),
    [("", types.SimpleNamespace(invoke=print)), ("Atan", object()), ("Atan", None)],
)
def test_invalid_registrations(title, registration):
    with pytest.raises(InputError, match=r"an object with invoke\(context, node\)"):
        OpResolver().add_custom(title, registration)


def test_kernels_are_looked_up_once():
    class Counting(OpResolver):
        calls = 0

        def _find_kernel(self, name):
            self.calls += 1
            return name

    resolver = Counting()
    assert [resolver.kernel("a.eval"), resolver.kernel("a.eval")] == ["a.eval", "a.eval"]
    assert resolver.calls == 1


@pytest.mark.parametrize("kernel", ["", "a", "a.b", "a.b.eval", "A.eval", "a/b.eval", "a.store"])
def test_invalid_kernel_names(kernel):
    with pytest.raises(ModelError, match="which cannot exist; flatten the model again"):
        OpResolver().kernel(kernel)


# An override for the instruction set has priority; functions that it lacks are the portable ones.
def test_override_for_an_instruction_set(tmp_path):
    model = model_files(tmp_path, sample_models.classifier())["FLAT"]
    lines = device(
        """
        import sys
        from tflm import micropython_port as port

        class Override:
            def eval_int8(self):
                pass

        override, missing = Override(), object()
        real = port.import_module
        arch = port.native_arch()
        class Folder:
            FILES = "\\nfully_connected\\nsoftmax\\n"

        modules = {"kernels.%s" % arch: Folder,
                   "kernels.%s.fully_connected" % arch: override,
                   "kernels.%s.softmax" % arch: missing}
        port.import_module = lambda name: modules[name] if name in modules else real(name)
        resolver = tflm.OpResolver()
        assert resolver.kernel("fully_connected.eval_int8") == override.eval_int8
        from tflm.kernels import softmax
        assert resolver.kernel("softmax.eval_int8") is softmax.eval_int8
        print(arch)
        """,
        MODEL=model,
    )
    assert lines[0] in ("x64", "x86", "armv7emdp")


# Helpers of float32 are loaded only for kernels that import them, although all files are there.
def test_integer_kernels_load_no_helpers_of_float32():
    lines = device(
        """
        import sys
        from tflm.micropython_port import native_arch
        from tflm.op_resolver import OpResolver

        def loaded():
            return sorted(name for name in sys.modules if ".float32" in name)

        resolver = OpResolver()
        for kernel in ("conv", "softmax", "quantize", "fully_connected", "pooling"):
            resolver.kernel(kernel + ".eval_" + ("float32" if kernel == "quantize" else "int8"))
        print(loaded())
        resolver.kernel("square_float.eval_float32")
        print("tflm.kernels.x64.float32" in loaded() or native_arch() != "x64")
        """
    )
    assert lines == ["[]", "True"]
