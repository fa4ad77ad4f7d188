# Test support: converts names of the TFLite schema to its numbers
# MIT license; Copyright (c) 2026 the tflm authors

from typing import Any

import numpy as np
from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

# Name of a tensor type: (code of the schema, numpy type that holds its values on the host).
DTYPES = {
    "float32": (schema.TensorType.FLOAT32, np.float32),
    "float16": (schema.TensorType.FLOAT16, np.float16),
    "float64": (schema.TensorType.FLOAT64, np.float64),
    "complex64": (schema.TensorType.COMPLEX64, np.complex64),
    "int4": (schema.TensorType.INT4, np.int8),
    "int8": (schema.TensorType.INT8, np.int8),
    "uint8": (schema.TensorType.UINT8, np.uint8),
    "int16": (schema.TensorType.INT16, np.int16),
    "uint16": (schema.TensorType.UINT16, np.uint16),
    "int32": (schema.TensorType.INT32, np.int32),
    "uint32": (schema.TensorType.UINT32, np.uint32),
    "int64": (schema.TensorType.INT64, np.int64),
    "uint64": (schema.TensorType.UINT64, np.uint64),
    "bool": (schema.TensorType.BOOL, np.bool_),
    "resource": (schema.TensorType.RESOURCE, np.int32),
    "variant": (schema.TensorType.VARIANT, np.int32),
    "string": (schema.TensorType.STRING, np.uint8),
}
DTYPE_NAMES = {code: name for name, (code, _) in DTYPES.items()}

# Operators whose options table has another name.
_POOL = "Pool2DOptions"
_REDUCER = "ReducerOptions"
_RANDOM = "RandomOptions"
_OPTIONS = {
    "AVERAGE_POOL_2D": _POOL,
    "MAX_POOL_2D": _POOL,
    "L2_POOL_2D": _POOL,
    "L2_NORMALIZATION": "L2NormOptions",
    "MAXIMUM": "MaximumMinimumOptions",
    "MINIMUM": "MaximumMinimumOptions",
    "SUM": _REDUCER,
    "MEAN": _REDUCER,
    "RANDOM_STANDARD_NORMAL": _RANDOM,
    "RANDOM_UNIFORM": _RANDOM,
    "MULTINOMIAL": _RANDOM,
    "REDUCE_ALL": _REDUCER,
    "REDUCE_ANY": _REDUCER,
    "REDUCE_MAX": _REDUCER,
    "REDUCE_MIN": _REDUCER,
    "REDUCE_PROD": _REDUCER,
}
_OPTIONS_BY_LOWER_CASE = {name.lower(): name for name in vars(schema.BuiltinOptions)}

# Fields of options that hold an enumeration, so that tests can write "SAME" or "RELU6".
_ENUMERATIONS = {
    "padding": schema.Padding,
    "fusedActivationFunction": schema.ActivationFunctionType,
    "mode": schema.MirrorPadMode,
    "weightsFormat": schema.FullyConnectedOptionsWeightsFormat,
    "kernelType": schema.LSTMKernelType,
    "combiner": schema.CombinerType,
}


# Return the name of a tensor type from a name or from anything that numpy accepts as a type.
def dtype_name(dtype: Any) -> str:
    """Return the name in DTYPES of `dtype`; raise ValueError if the schema lacks it."""
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    if name not in DTYPES:
        raise ValueError(f"no tensor type {name!r}; use one of {', '.join(DTYPES)}")
    return name


# Code of a builtin operator, or None for a custom one.
def builtin_code(operator: str) -> int | None:
    """Return the number of a builtin operator by its name in the schema, None if it has none."""
    return getattr(schema.BuiltinOperator, operator, None)


# Make the options table of an operator from keywords.
def make_options(operator: str, table: str | None, fields: dict[str, Any]) -> tuple[int, Any]:
    """Return (type code, object) of the builtin options for `operator`.

    `fields` are named as in the schema (`stride_h`); enumerations may be given by their names
    and types by the names of DTYPES. `table` overrides the operator's table.
    Return (0, None) if the operator has no options. Raises ValueError for an unknown field.
    """
    wanted = table or _OPTIONS.get(operator, operator.replace("_", "") + "Options")
    name = _OPTIONS_BY_LOWER_CASE.get(wanted.lower())
    if name is None:
        if fields or table:
            raise ValueError(f"{operator} has no options table {wanted}, got {sorted(fields)}")
        return 0, None
    options = getattr(schema, name + "T")()
    for field, value in fields.items():
        first, *rest = field.split("_")
        attribute = first + "".join(word.capitalize() for word in rest)
        if not hasattr(options, attribute):
            raise ValueError(f"{name} has no field {field}; it has {sorted(vars(options))}")
        setattr(options, attribute, _field_value(attribute, value))
    return getattr(schema.BuiltinOptions, name), options


# Return the number of an enumeration's name or of a type's name.
def _field_value(attribute: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if attribute in _ENUMERATIONS:
        return getattr(_ENUMERATIONS[attribute], value)
    if value in DTYPES:
        return DTYPES[value][0]
    return value
