# tflm_tools: the child process of process.py that quantizes a float .tflite with LiteRT
# MIT license; Copyright (c) 2026 the tflm authors

# It imports nothing of ours: any Python that has litert-quantizer runs it, as a file. A request is
# a line of JSON on standard input, {"do": the name of a method below, its arguments}; so is the
# reply on standard output. What LiteRT prints goes to standard error.

import contextlib
import importlib.metadata
import json
import sys

import numpy as np

_SIGNATURE = "serving_default"


def _is_constant(model, tensor):
    buffer = model.buffers[tensor.buffer]
    return buffer.data is not None and len(buffer.data) > 0


# Replace each DEQUANTIZE of a constant float16 tensor by a float32 constant; return their number.
def _fold_float16(model, schema):
    count = 0
    codes = [max(c.builtinCode, c.deprecatedBuiltinCode) for c in model.operatorCodes]
    for subgraph in model.subgraphs:
        kept = []
        for op in subgraph.operators:
            source, target = (subgraph.tensors[i] for i in (op.inputs[0], op.outputs[0])) if (
                codes[op.opcodeIndex] == schema.BuiltinOperator.DEQUANTIZE
            ) else (None, None)
            if (
                source is None
                or source.type != schema.TensorType.FLOAT16
                or not _is_constant(model, source)
            ):
                kept.append(op)
                continue
            half = np.frombuffer(bytes(model.buffers[source.buffer].data), np.float16)
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(half.astype(np.float32).tobytes(), np.uint8)
            target.buffer = len(model.buffers)
            model.buffers.append(buffer)
            count += 1
        subgraph.operators = kept
    return count


# A signature for subgraph 0, which the quantizer needs; names are those of the tensors.
def _add_signature(model, schema):
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


# Fix the shapes of the inputs; sizes that follow from an open batch are 1 in the file already.
def _fix_shapes(model, shapes):
    subgraph = model.subgraphs[0]
    for index, shape in zip(subgraph.inputs, shapes):  # noqa: B905 (any Python runs this)
        subgraph.tensors[index].shape = list(shape)
    for subgraph in model.subgraphs:
        for tensor in subgraph.tensors:
            tensor.shapeSignature = None


class Worker:
    """Answers requests about one .tflite."""

    def open(self, model):
        """Load the model: version of the quantizer, inputs and outputs."""
        from ai_edge_litert import schema_py_generated as schema
        from ai_edge_litert.tools import flatbuffer_utils

        import litert_quantizer  # noqa: F401 (an ImportError is reported here)

        self.schema = schema
        with open(model, "rb") as file:
            data = bytearray(file.read())
        self.model = flatbuffer_utils.read_model_from_bytearray(data)
        _fold_float16(self.model, schema)
        # Other signatures name other subgraphs; the model that boards run is subgraph 0.
        _add_signature(self.model, schema)
        return {"version": importlib.metadata.version("litert-quantizer")}

    def trace(self, shapes):
        """Fix the shapes of the inputs: shapes and dtypes of the outputs."""
        from ai_edge_litert.tools import flatbuffer_utils

        _fix_shapes(self.model, shapes)
        self.data = bytearray(flatbuffer_utils.convert_object_to_bytearray(self.model))
        self._interpreter()
        return {
            "outputs": [
                {"name": d["name"], "dtype": np.dtype(d["dtype"]).name, "shape": d["shape"].tolist()}
                for d in self.outputs
            ]
        }

    # An Interpreter of the float model; outputs in the order of the file.
    def _interpreter(self):
        from ai_edge_litert.interpreter import Interpreter

        self.runner = Interpreter(model_content=bytes(self.data))
        self.runner.allocate_tensors()
        self.inputs = self.runner.get_input_details()
        self.outputs = self.runner.get_output_details()

    def convert(self, form, keep_float, runs):
        """Quantize by the ranges of taken.npz; writes model.tflite."""
        from litert_quantizer import quantizer
        from litert_quantizer.algorithm_manager import AlgorithmName
        from litert_quantizer.qtyping import TFLOperationName

        tool = quantizer.Quantizer(self.data)
        everything = {"regex": ".*", "operation_name": TFLOperationName.ALL_SUPPORTED}
        if form in ("int8", "int16"):
            bits = 16 if form == "int16" else 8
            tool.add_static_config(**everything, activation_num_bits=bits, weight_num_bits=8)
        elif form == "int4":
            tool.add_static_config(**everything, activation_num_bits=8, weight_num_bits=8)
            for name in ("FULLY_CONNECTED", "CONV_2D"):
                tool.add_static_config(
                    regex=".*", operation_name=TFLOperationName[name], activation_num_bits=8,
                    weight_num_bits=4,
                )  # fmt: skip
        elif form == "dynamic":
            tool.add_dynamic_config(**everything, num_bits=8)
        else:
            tool.add_weight_only_config(**everything, num_bits=8)
        if keep_float and form in ("int8", "int16", "int4"):
            for name in ("INPUT", "OUTPUT"):
                tool.update_quantization_recipe(
                    regex=".*", operation_name=TFLOperationName[name],
                    algorithm_key=AlgorithmName.NO_QUANTIZE,
                )  # fmt: skip
        ranges = None
        if tool.need_calibration:
            ranges = tool.calibrate({_SIGNATURE: self._examples("taken.npz", runs)}, num_threads=1)
        made = tool.quantize(ranges, enable_progress_report=False, enable_progress_bar=False)
        with open("model.tflite", "wb") as file:
            file.write(bytes(made.quantized_model))
        return {}

    # Inputs of each run by the names of the signature.
    def _examples(self, path, runs):
        with np.load(path) as file:
            return [
                {f"input_{k}": file[f"{i}_{k}"] for k in range(len(self.inputs))}
                for i in range(runs)
            ]

    def predict(self, runs):
        """Compute output 0 of each run of scored.npz in float; writes predicted.npz."""
        found = {}
        with np.load("scored.npz") as file:
            for i in range(runs):
                for k, detail in enumerate(self.inputs):
                    self.runner.set_tensor(detail["index"], file[f"{i}_{k}"])
                self.runner.invoke()
                found[f"o{i}"] = self.runner.get_tensor(self.outputs[0]["index"])
        np.savez("predicted.npz", **found)
        return {}


def main():
    """Answer requests until standard input ends."""
    worker = Worker()
    replies = sys.stdout
    for line in sys.stdin:
        request = json.loads(line)
        try:
            with contextlib.redirect_stdout(sys.stderr):
                reply = getattr(worker, request.pop("do"))(**request)
        except Exception as error:  # any reason is the user's to know
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    main()
