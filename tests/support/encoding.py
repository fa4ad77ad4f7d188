# Test support: bytes of tensors, FlexBuffers and aligned buffers for the model builder
# MIT license; Copyright (c) 2026 the tflm authors

from collections.abc import Mapping
from typing import Any

import numpy as np
from flatbuffers import flexbuffers

from .schema import DTYPES, schema

ALIGNMENT = 16  # of constant data, as the schema asks for


# A buffer whose bytes are at a multiple of 16; the generated class aligns to 4 only.
class AlignedBuffer(schema.BufferT):
    """BufferT whose data is packed 16-byte aligned."""

    def Pack(self, builder):
        vector = None
        if self.data is not None:
            builder.StartVector(1, len(self.data), ALIGNMENT)
            builder.head -= len(self.data)
            builder.Bytes[builder.head : builder.head + len(self.data)] = self.data
            vector = builder.EndVector()
        schema.BufferStart(builder)
        if vector is not None:
            schema.BufferAddData(builder, vector)
        if self.size:
            schema.BufferAddOffset(builder, self.offset)
            schema.BufferAddSize(builder, self.size)
        return schema.BufferEnd(builder)


# Values as the bytes that a tensor of that type stores; int4 packs two, the low nibble first.
def tensor_bytes(values: Any, dtype: str) -> bytes:
    """Return the little-endian bytes of `values` stored as `dtype`."""
    array = np.asarray(values).astype(DTYPES[dtype][1])
    if dtype != "int4":
        return array.tobytes()
    nibbles = array.ravel().view(np.uint8) & 15
    nibbles = np.append(nibbles, np.zeros(nibbles.size & 1, np.uint8))
    return (nibbles[0::2] | nibbles[1::2] << 4).astype(np.uint8).tobytes()


# FlexBuffers of a map, the form in which custom operators get their options.
def flexbuffer(options: Mapping[str, Any]) -> bytes:
    """Return a FlexBuffers map; values are bool, int, float (4 bytes), str or lists of those."""
    builder = flexbuffers.Builder()
    with builder.Map():
        for key, value in options.items():
            builder.Key(key)
            _flexbuffer_value(builder, value)
    return bytes(builder.Finish())


def _flexbuffer_value(builder, value):
    if isinstance(value, (bool, np.bool_)):
        builder.Bool(bool(value))
    elif isinstance(value, (int, np.integer)):
        builder.Int(int(value))
    elif isinstance(value, (float, np.floating)):
        builder.Float(float(value), 4)
    elif isinstance(value, str):
        builder.String(value)
    else:
        with builder.Vector():
            for element in value:
                _flexbuffer_value(builder, element)
