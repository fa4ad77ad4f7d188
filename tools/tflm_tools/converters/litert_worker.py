# tflm_tools: the child process of process.py that quantizes a float .tflite with LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

# It imports nothing of tflm: any Python that has litert-quantizer runs it, as a file. A request is
# a line of JSON on standard input, {"do": the name of a method below, its arguments}; so is the
# reply on standard output. What LiteRT prints goes to standard error.

import json
import os
import re
import shutil
import sys

import numpy as np

_SIGNATURE = "serving_default"
_QUANTIZER_NAMES = {"TRANSPOSE_CONV": "CONV_2D_TRANSPOSE"}
_NOT_INT16 = "DIV", "EQUAL", "NOT_EQUAL"
_WEIGHTED = "CONV_2D", "DEPTHWISE_CONV_2D", "CONV_2D_TRANSPOSE", "FULLY_CONNECTED"


def _is_constant(model, tensor):
    buffer = model.buffers[tensor.buffer]
    return buffer.data is not None and len(buffer.data) > 0


def _code(model, op):
    entry = model.operatorCodes[op.opcodeIndex]
    return max(entry.builtinCode, entry.deprecatedBuiltinCode)


def _add_buffer(model, schema, array):
    buffer = schema.BufferT()
    buffer.data = np.frombuffer(array.tobytes(), np.uint8)
    model.buffers.append(buffer)
    return len(model.buffers) - 1


# True if tflm lacks the quantized form of an operator. operand: its second input, or None.
def _is_unsupported(name, form, operand, is_constant):
    if name == "BATCH_MATMUL" and is_constant:
        return form == "int16" or form == "dynamic" and np.prod(operand.shape[:-2]) > 1
    is_int16 = name in _NOT_INT16 or name in _WEIGHTED and not is_constant
    return form == "int16" and is_int16


# Remove the tensors that no operator uses; the data of removed constants go, too.
def _remove_unused(model):
    for subgraph in model.subgraphs:
        lists = [(subgraph, "inputs"), (subgraph, "outputs")]
        for op in subgraph.operators:
            lists += [(op, name) for name in ("inputs", "outputs", "intermediates")]
        lists = [(owner, name) for owner, name in lists if getattr(owner, name) is not None]
        used = {int(i) for owner, name in lists for i in getattr(owner, name) if i >= 0}
        numbers = {old: new for new, old in enumerate(sorted(used))}
        subgraph.tensors = [subgraph.tensors[old] for old in sorted(used)]
        for owner, name in lists:
            setattr(owner, name, [numbers.get(int(i), -1) for i in getattr(owner, name)])
    buffers = {tensor.buffer for subgraph in model.subgraphs for tensor in subgraph.tensors}
    buffers |= {entry.buffer for entry in model.metadata or ()}
    for number, buffer in enumerate(model.buffers):
        if number not in buffers:
            buffer.data = None


# Make each float16 tensor float32, and remove the operators that only converted between the two.
def _use_float32(model, schema):
    half, single = schema.TensorType.FLOAT16, schema.TensorType.FLOAT32
    conversions = schema.BuiltinOperator.DEQUANTIZE, schema.BuiltinOperator.CAST
    widened = {}  # {buffer of float16: the same in float32}
    for subgraph in model.subgraphs:
        changed = {i for i, tensor in enumerate(subgraph.tensors) if tensor.type == half}
        for tensor in (subgraph.tensors[i] for i in changed):
            tensor.type = single
            if not _is_constant(model, tensor):
                continue
            if tensor.buffer not in widened:
                data = np.frombuffer(bytes(model.buffers[tensor.buffer].data), np.float16)
                widened[tensor.buffer] = _add_buffer(model, schema, data.astype(np.float32))
            tensor.buffer = widened[tensor.buffer]
        kept, same = [], {}
        for op in subgraph.operators:
            if op.inputs is not None:
                op.inputs = [same.get(int(i), int(i)) for i in op.inputs]
            tensors = [*(op.inputs or ()), *map(int, op.outputs)]
            is_changed = _code(model, op) in conversions and not changed.isdisjoint(tensors)
            if is_changed and all(subgraph.tensors[i].type == single for i in tensors):
                same[tensors[1]] = tensors[0]
                continue
            if is_changed:  # CAST of another type, whose options name the types
                op.builtinOptions, op.builtinOptionsType = None, schema.BuiltinOptions.NONE
            kept.append(op)
        subgraph.operators = kept
        subgraph.outputs = [same.get(int(i), int(i)) for i in subgraph.outputs]
    _remove_unused(model)


# The index of an operator code, which is added if the model lacks it.
def _operator_code(model, schema, code):
    for index, entry in enumerate(model.operatorCodes):
        if max(entry.builtinCode, entry.deprecatedBuiltinCode) == code:
            return index
    entry = schema.OperatorCodeT()
    entry.builtinCode = entry.deprecatedBuiltinCode = code
    entry.version = 1
    model.operatorCodes.append(entry)
    return len(model.operatorCodes) - 1


# EXPAND_DIMS and SQUEEZE move no element, but the quantizer knows only RESHAPE.
def _use_reshape(model, schema):
    codes = schema.BuiltinOperator.EXPAND_DIMS, schema.BuiltinOperator.SQUEEZE
    for subgraph in model.subgraphs:
        for op in subgraph.operators:
            if _code(model, op) not in codes:
                continue
            shape = schema.TensorT()
            sizes = np.array(subgraph.tensors[op.outputs[0]].shape, np.int32)
            shape.name, shape.type = f"reshape_{len(subgraph.tensors)}", schema.TensorType.INT32
            shape.shape, shape.buffer = [len(sizes)], _add_buffer(model, schema, sizes)
            subgraph.tensors.append(shape)
            op.inputs = [op.inputs[0], len(subgraph.tensors) - 1]
            op.opcodeIndex = _operator_code(model, schema, schema.BuiltinOperator.RESHAPE)
            op.builtinOptions, op.builtinOptionsType = None, schema.BuiltinOptions.NONE


# Replace the signatures by one of subgraph 0, which the quantizer needs: input_0, output_0, ...
def _set_signature(model, schema):
    subgraph = model.subgraphs[0]
    signature = schema.SignatureDefT()
    signature.signatureKey, signature.subgraphIndex = _SIGNATURE, 0
    for attribute, indices in (("inputs", subgraph.inputs), ("outputs", subgraph.outputs)):
        maps = []
        for number, index in enumerate(indices):
            tensor_map = schema.TensorMapT()
            tensor_map.name, tensor_map.tensorIndex = f"{attribute[:-1]}_{number}", int(index)
            maps.append(tensor_map)
        setattr(signature, attribute, maps)
    model.signatureDefs = [signature]


# The quantizer finds tensors by their names, which files may repeat or leave out.
def _name_tensors(model):
    for number, subgraph in enumerate(model.subgraphs):
        seen = set()
        for index, tensor in enumerate(subgraph.tensors):
            name = (tensor.name or b"").decode("utf-8", "replace")
            if not name or name in seen:
                tensor.name = f"{name or 'tensor'}_{number}_{index}"
            seen.add(name)


def _text(name):
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name or "")


class Worker:
    """Answers requests about one .tflite."""

    def open(self, model):
        """Load the model; returns the version of the quantizer, and the inputs."""
        import importlib.metadata

        import litert_quantizer  # noqa: F401 (an ImportError is reported here)
        from ai_edge_litert import schema_py_generated as schema
        from ai_edge_litert.tools import flatbuffer_utils

        self.schema = schema
        self.utilities = flatbuffer_utils
        with open(model, "rb") as file:
            self.model = flatbuffer_utils.read_model_from_bytearray(bytearray(file.read()))
        _use_float32(self.model, schema)
        subgraph = self.model.subgraphs[0]
        self.inputs = [subgraph.tensors[index] for index in subgraph.inputs]
        types = {v: k.lower() for k, v in vars(schema.TensorType).items() if k[:1] != "_"}
        inputs = []
        for tensor in self.inputs:
            signature = tensor.shapeSignature
            if signature is None or not len(signature):
                signature = tensor.shape if tensor.shape is not None else []
            shape = [None if size < 0 else int(size) for size in signature]
            dtype = types.get(tensor.type, "")
            inputs.append({"name": _text(tensor.name), "dtype": dtype, "shape": shape})
        return {"version": importlib.metadata.version("litert-quantizer"), "inputs": inputs}

    def trace(self, shapes, unroll):
        """Fix the shapes of the inputs; returns the outputs. Loops are never unrolled."""
        model, schema = self.model, self.schema
        _name_tensors(model)
        _set_signature(model, schema)
        is_open = self._fix_shapes(shapes)
        if is_open:
            self._infer_shapes()
        _use_reshape(model, schema)
        self.runner = self._interpreter()
        outputs = [
            {"name": d["name"], "dtype": np.dtype(d["dtype"]).name, "shape": d["shape"].tolist()}
            for d in self.runner.get_output_details()
        ]
        return {"outputs": outputs, "unrolled": []}

    # Set the shapes of the inputs; return True if shapes of other tensors can change.
    def _fix_shapes(self, shapes):
        is_open = False
        for tensor, shape in zip(self.inputs, shapes):  # noqa: B905 (any Python runs this)
            is_open |= [int(size) for size in tensor.shape] != list(shape)
            tensor.shape = list(shape)
        for subgraph in self.model.subgraphs:
            for tensor in subgraph.tensors:
                if tensor.shapeSignature is not None:
                    is_open |= any(size < 0 for size in tensor.shapeSignature)
                    tensor.shapeSignature = None
        return is_open

    # Let LiteRT compute the shapes of all tensors that follow from the shapes of the inputs.
    def _infer_shapes(self):
        found = {detail["index"]: detail for detail in self._interpreter().get_tensor_details()}
        for index, tensor in enumerate(self.model.subgraphs[0].tensors):
            if index in found and not _is_constant(self.model, tensor):
                tensor.shape = found[index]["shape"].tolist()

    # LiteRT without XNNPACK, whose float results depend on the processor.
    def _interpreter(self):
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        self.data = bytearray(self.utilities.convert_object_to_bytearray(self.model))
        interpreter = Interpreter(
            model_content=bytes(self.data),
            experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
        )
        interpreter.allocate_tensors()
        return interpreter

    def convert(self, form, weight_bits, keep_float, runs):
        """Quantize the model with the ranges of taken.npz; writes model.tflite."""
        if form == "float32":
            with open("model.tflite", "wb") as file:
                file.write(self.data)
            return {}
        from litert_quantizer import quantizer
        from litert_quantizer.qtyping import TFLOperationName

        tool = quantizer.Quantizer(self.data)
        self._add_recipe(tool, TFLOperationName.ALL_SUPPORTED, form, 8)
        self._add_recipe(tool, TFLOperationName.BATCH_MATMUL, form, 8)
        if weight_bits != 8:
            for name in ("FULLY_CONNECTED", "CONV_2D", "EMBEDDING_LOOKUP", "BATCH_MATMUL"):
                try:
                    self._add_recipe(tool, TFLOperationName[name], form, weight_bits)
                except ValueError:
                    continue  # weights of this operator keep 8 bits
        kept = [*self._unsupported(form)]  # (operation, pattern of its output) that stay float32
        if keep_float and form in ("int8", "int16"):
            kept += [("INPUT", ".*"), ("OUTPUT", ".*")]
        for name, pattern in kept:
            tool.update_quantization_recipe(
                regex=pattern, operation_name=TFLOperationName[name], algorithm_key="no_quantize"
            )
        ranges = None
        if tool.need_calibration:
            ranges = self._ranges(tool, runs)
        result = tool.quantize(ranges, enable_progress_report=False, enable_progress_bar=False)
        with open("model.tflite", "wb") as file:
            file.write(bytes(result.quantized_model))
        return {}

    # Yield (operation, pattern of the output's name) of operators whose quantized form tflm lacks.
    def _unsupported(self, form):
        names = {v: k for k, v in vars(self.schema.BuiltinOperator).items() if k[:1] != "_"}
        for subgraph in self.model.subgraphs:
            for op in subgraph.operators:
                name = names[_code(self.model, op)]
                name = _QUANTIZER_NAMES.get(name, name)
                weights = subgraph.tensors[op.inputs[1]] if len(op.inputs or ()) > 1 else None
                if _is_unsupported(
                    name, form, weights, weights and _is_constant(self.model, weights)
                ):
                    yield name, re.escape(_text(subgraph.tensors[op.outputs[0]].name))

    # The least and greatest values of the tensors over all runs of taken.npz, as TensorFlow's
    # converter takes them. The quantizer's own calibrate() takes moving averages of the runs: the
    # range of an output with one element is then far too small.
    def _ranges(self, tool, runs):
        from litert_quantizer import calibrator, recipe_manager
        from litert_quantizer.utils import qsv_utils

        recipe = recipe_manager.RecipeManager()
        recipe.load_quantization_recipe(tool.get_quantization_recipe())
        calibration = calibrator.Calibrator(
            self.data, num_threads=1, qsv_update_func=qsv_utils.min_max_update
        )
        calibration.calibrate({_SIGNATURE: self._examples(runs)}, recipe)
        return calibration.get_model_qsvs()

    def _add_recipe(self, tool, operation, quantization, weight_bits):
        from litert_quantizer.qtyping import QuantGranularity

        where = {"regex": ".*", "operation_name": operation}
        if quantization in ("int8", "int16"):
            if operation == "BATCH_MATMUL":  # LiteRT's int8 results are 0 with a scale per channel
                where["weight_granularity"] = QuantGranularity.TENSORWISE
            bits = 16 if quantization == "int16" else 8
            tool.add_static_config(**where, activation_num_bits=bits, weight_num_bits=weight_bits)
        elif quantization == "dynamic":
            tool.add_dynamic_config(**where, num_bits=weight_bits)
        else:
            tool.add_weight_only_config(**where, num_bits=weight_bits)

    # The inputs of each run of taken.npz, by the names of the signature.
    def _examples(self, runs):
        with np.load("taken.npz") as file:
            return [
                {f"input_{k}": file[f"{i}_{k}"] for k in range(len(self.inputs))}
                for i in range(runs)
            ]

    def predict(self, runs):
        """Compute output 0 of each run of scored.npz in float; writes predicted.npz."""
        found = {}
        inputs, outputs = self.runner.get_input_details(), self.runner.get_output_details()
        with np.load("scored.npz") as file:
            for i in range(runs):
                for k, detail in enumerate(inputs):
                    self.runner.set_tensor(detail["index"], file[f"{i}_{k}"])
                self.runner.invoke()
                found[f"o{i}"] = self.runner.get_tensor(outputs[0]["index"])
        np.savez("predicted.npz", **found)
        return {}


def main():
    """Answer requests until standard input ends."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker()
    try:
        for line in sys.stdin:
            request = json.loads(line)
            try:
                reply = getattr(worker, request.pop("do"))(**request)
            except Exception as error:  # reasons.py makes a sentence of it
                reply = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(reply), file=replies, flush=True)
    finally:  # unless the program that has asked removes the folder, it was ended
        shutil.rmtree(sys.argv[1], ignore_errors=True)


if __name__ == "__main__":
    main()
