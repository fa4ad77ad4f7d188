# tflm_tools: checkpoint: reads weights of Llama-type models: llama2.c and safetensors files
# MIT license; Copyright (c) 2026 the tflm authors

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .. import files
from ..errors import ToolError

_LLAMA2C_HEADER = "<7i"
_LLAMA2C_VERSIONED = 0x616B3432  # the magic number of llama2.c's later formats
_MAX_DIMENSION = 1 << 20  # a larger number in a header means another file format
_CONFIG, _WEIGHTS = "config.json", "model.safetensors"
_INDEX = "model.safetensors.index.json"  # names the file of each tensor, if there are several
_PYTORCH = b"PK\x03\x04"  # begins a file of torch.save()
_MAX_PARAMETERS = 64_000_000  # int8 weights of four times the largest flash, 16 MB

# {name in a Checkpoint: name in a layer of a safetensors file}.
_LAYER_NAMES = {
    "attention_norm": "input_layernorm",
    "query": "self_attn.q_proj",
    "key": "self_attn.k_proj",
    "value": "self_attn.v_proj",
    "output": "self_attn.o_proj",
    "feed_norm": "post_attention_layernorm",
    "gate": "mlp.gate_proj",
    "down": "mlp.down_proj",
    "up": "mlp.up_proj",
}


@dataclass
class Checkpoint:
    """A trained model of Llama's type (Touvron et al., 2023).

    dim: width of the residual stream. hidden: width of the feed-forward network. heads, kv_heads:
    of queries, and of keys and values. positions: the longest text of the training. theta: base of
    the rotary frequencies. epsilon: of the norms.
    weights: {name: float32 array}; matrices are [outputs, inputs], and matrices of layers have a
    first axis for the layers. Queries and keys rotate adjacent pairs of rows.
    """

    dim: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    vocabulary: int
    positions: int
    theta: float = 10000.0
    epsilon: float = 1e-5
    weights: dict = field(default_factory=dict, repr=False)

    @property
    def head_dim(self):
        return self.dim // self.heads

    @property
    def classifier(self):
        """The weights of the last layer, [vocabulary, dim]; often those are the embedding."""
        return self.weights.get("classifier", self.weights["embedding"])

    @property
    def parameters(self):
        return sum(weight.size for weight in self.weights.values())

    def shapes(self):
        """Return {name: shape} of the weights, in the order of a llama2.c file."""
        layers, dim, hidden = self.layers, self.dim, self.hidden
        kv = self.kv_heads * self.head_dim
        return {
            "embedding": (self.vocabulary, dim),
            "attention_norm": (layers, dim),
            "query": (layers, dim, dim),
            "key": (layers, kv, dim),
            "value": (layers, kv, dim),
            "output": (layers, dim, dim),
            "feed_norm": (layers, dim),
            "gate": (layers, hidden, dim),
            "down": (layers, dim, hidden),
            "up": (layers, hidden, dim),
            "final_norm": (dim,),
        }


def is_checkpoint(path):
    """Return True for a llama2.c or safetensors file, or a folder with a config.json."""
    path = Path(path)
    if path.is_dir():
        return (path / _CONFIG).exists()
    return path.suffix.lower() in (".bin", ".safetensors")


def read(path):
    """Return the Checkpoint of a llama2.c .bin, a .safetensors, or the folder of one.

    Raises ToolError for other files and for models of other types.
    """
    path = Path(path)
    if path.is_dir() or path.suffix.lower() == ".safetensors":
        return _read_safetensors(path)
    return _read_llama2c(path, files.read(path))


# llama2.c: 7 integers, then all weights in float32.
def _read_llama2c(path, data):
    header = struct.calcsize(_LLAMA2C_HEADER)
    if data.startswith(_PYTORCH):
        raise ToolError(
            f"{path} is a PyTorch file; save the model as safetensors: "
            "model.save_pretrained(FOLDER)"
        )
    if len(data) < header:
        raise ToolError(
            f"{path} has {len(data)} bytes, which is too short for a llama2.c file; get it again"
        )
    if struct.unpack_from("<I", data)[0] == _LLAMA2C_VERSIONED:
        raise ToolError(
            f"{path} is a llama2.c file of version 1 or 2; export version 0: "
            "python export.py MODEL.bin --version 0"
        )
    dim, hidden, layers, heads, kv, vocabulary, positions = struct.unpack_from(
        _LLAMA2C_HEADER, data
    )
    sizes = dim, hidden, layers, heads, kv, abs(vocabulary), positions
    if not all(0 < size < _MAX_DIMENSION for size in sizes):
        raise ToolError(f"{path} is no llama2.c file: its header says {sizes}; give another file")
    found = Checkpoint(dim, hidden, layers, heads, kv, abs(vocabulary), positions)
    _check_sizes(path, found)
    shapes = found.shapes()
    rotary = found.positions * found.head_dim  # tables that newer versions ignore
    needed = sum(int(np.prod(shape)) for shape in shapes.values()) + rotary
    if vocabulary < 0:
        shapes["classifier"] = shapes["embedding"]
        needed += found.vocabulary * dim
    values = np.frombuffer(data[header : header + (len(data) - header) // 4 * 4], "<f4")
    if len(values) not in (needed, needed - rotary):
        raise ToolError(
            f"{path} has {len(values):,} weights, and its header requires {needed:,}; the file is "
            "cut off, or no llama2.c file of version 0"
        )
    at = 0
    for name, shape in shapes.items():
        if name == "classifier":
            at = len(values) - found.vocabulary * dim
        count = int(np.prod(shape))
        found.weights[name] = values[at : at + count].reshape(shape)
        at += count
    return found


def _check_sizes(path, found):
    if found.dim % found.heads or found.heads % found.kv_heads or found.head_dim % 2:
        raise ToolError(
            f"{path}: {found.dim} channels do not divide into {found.heads} heads with "
            f"{found.kv_heads} of keys; the file is damaged, or another format"
        )
    count = sum(int(np.prod(shape)) for shape in found.shapes().values())
    if count > _MAX_PARAMETERS:
        raise ToolError(
            f"{path}: the model has {count:,} weights, about {count / 1e6:,.0f} MB as int8, and "
            f"boards have 16 MB of flash at most; choose a model of at most {_MAX_PARAMETERS:,}"
        )


def _read_safetensors(path):
    folder = path if path.is_dir() else path.parent
    config_path = folder / _CONFIG
    config = _json(config_path)
    found = _configured(config_path, config)
    tensors = _Tensors(_weight_files(folder) if path.is_dir() else [path])
    prefix = "" if "embed_tokens.weight" in tensors else "model."  # "" without a classifier
    layers = range(found.layers)
    for name, shape in found.shapes().items():
        if name == "embedding":
            found.weights[name] = tensors.get(prefix + "embed_tokens.weight", shape)
        elif name == "final_norm":
            found.weights[name] = tensors.get(prefix + "norm.weight", shape)
        else:
            keys = (f"{prefix}layers.{i}.{_LAYER_NAMES[name]}.weight" for i in layers)
            found.weights[name] = np.stack([tensors.get(key, shape[1:]) for key in keys])
    for name, heads in (("query", found.heads), ("key", found.kv_heads)):
        # These files rotate row i of a head with row i + half.
        halves = found.weights[name].reshape(found.layers, heads, 2, -1, found.dim)
        found.weights[name] = halves.swapaxes(2, 3).reshape(found.weights[name].shape)
    if "lm_head.weight" in tensors and not config.get("tie_word_embeddings", False):
        found.weights["classifier"] = tensors.get("lm_head.weight", found.shapes()["embedding"])
    return found


# The object in a JSON file.
def _json(path):
    try:
        content = json.loads(files.read(path))
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise ToolError(f"{path} is not a JSON object; get the model again")
    return content


# The .safetensors of a folder: one, or those that its index names.
def _weight_files(folder):
    if (folder / _WEIGHTS).exists():
        return [folder / _WEIGHTS]
    if (folder / _INDEX).exists():
        names = _json(folder / _INDEX).get("weight_map")
        names = set(names.values()) if isinstance(names, dict) else {""}
        if not all(isinstance(name, str) and name == Path(name).name != "" for name in names):
            raise ToolError(f"{folder / _INDEX} names no files; get the model again")
        return [folder / name for name in sorted(names)]
    if list(folder.glob("pytorch_model*.bin")):
        raise ToolError(
            f"{folder} has weights of PyTorch only; save the model as safetensors: "
            "model.save_pretrained(FOLDER)"
        )
    raise ToolError(f"{folder} has no {_WEIGHTS} and no {_INDEX}; get the model again")


# (theta, positions) of a config.json; newer versions have rope_parameters.
def _rotary(path, config):
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    kind = rope.get("rope_type", rope.get("type", "default")) if isinstance(rope, dict) else rope
    if kind != "default" or rope.get("factor", 1) != 1:
        raise ToolError(
            f"{path}: the positions are scaled (rope_scaling, {kind}), and tflm converts only "
            "models that do not scale them; choose another model"
        )
    theta = rope.get("rope_theta", config.get("rope_theta", 10000.0))
    positions = config.get("max_position_embeddings", 2048)
    window = config.get("sliding_window")
    return theta, min(positions, window) if window else positions


# The Checkpoint, without weights, of a config.json.
def _configured(path, config):
    kind = config.get("model_type")
    if kind not in ("llama", "mistral"):
        raise ToolError(
            f"{path}: the model is of type {kind}; choose one of type llama or mistral"
        )
    for key, wanted in (
        ("hidden_act", "silu"),
        ("attention_bias", False),
        ("mlp_bias", False),
        ("partial_rotary_factor", 1),
    ):
        if config.get(key, wanted) != wanted:
            raise ToolError(
                f"{path}: {key} is {config[key]}, and tflm converts only {wanted}; choose another "
                "model"
            )
    theta, positions = _rotary(path, config)
    try:
        found = Checkpoint(
            dim=config["hidden_size"],
            hidden=config["intermediate_size"],
            layers=config["num_hidden_layers"],
            heads=config["num_attention_heads"],
            kv_heads=config.get("num_key_value_heads", config["num_attention_heads"]),
            vocabulary=config["vocab_size"],
            positions=positions,
            theta=theta,
            epsilon=config.get("rms_norm_eps", 1e-5),
        )
    except KeyError as error:
        raise ToolError(f"{path} lacks {error}; get the model again") from None
    sizes = {name: value for name, value in vars(found).items() if name != "weights"}
    for name, value in sizes.items():
        kinds = (int, float) if name in ("theta", "epsilon") else int
        if not isinstance(value, kinds) or isinstance(value, bool) or value <= 0:
            raise ToolError(f"{path}: {value!r} is no valid {name}; get the model again")
    if (config.get("head_dim") or found.head_dim) != found.head_dim:
        raise ToolError(
            f"{path}: head_dim is {config['head_dim']}, not hidden_size divided by the heads; "
            "choose another model"
        )
    _check_sizes(path, found)
    return found


class _Tensors:
    """The tensors of .safetensors files, converted on demand to float32."""

    def __init__(self, paths):
        self._paths, self._entries = paths, {}
        for path in paths:
            data = files.read(path)
            try:
                size = struct.unpack_from("<Q", data)[0]
                entries = json.loads(data[8 : 8 + size])
                entries.pop("__metadata__", None)
                for name, entry in entries.items():
                    start, stop = entry["data_offsets"]
                    raw = data[8 + size + start : 8 + size + stop]
                    self._entries[name] = path, entry["dtype"], tuple(entry["shape"]), raw
            except (struct.error, ValueError, TypeError, KeyError, AttributeError):
                raise ToolError(f"{path} is not a .safetensors; get the model again") from None

    def __contains__(self, name):
        return name in self._entries

    def get(self, name, shape):
        """Return a tensor; raises ToolError if it is absent or has another shape."""
        if name not in self._entries:
            paths = ", ".join(map(str, self._paths))
            raise ToolError(f"{paths} lacks {name}; the file belongs to another config.json")
        path, dtype, found, raw = self._entries[name]
        if found != tuple(shape):
            raise ToolError(
                f"{path}: {name} is {list(found)}, and config.json says {list(shape)}; "
                "the files do not belong together"
            )
        kinds = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}
        if dtype not in kinds:
            raise ToolError(f"{path}: {name} is {dtype}; convert the weights to F32, F16 or BF16")
        width = 4 if dtype == "F32" else 2
        if len(raw) != width * int(np.prod(shape)):
            raise ToolError(f"{path} is cut off in {name}; get the model again")
        values = np.frombuffer(raw, kinds[dtype])
        if dtype == "BF16":  # the upper half of a float32
            values = (values.astype(np.uint32) << 16).view(np.float32)
        return values.astype(np.float32).reshape(shape)
