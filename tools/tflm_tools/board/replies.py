# tflm_tools: board: checks the answers of boards, which are untrusted data, against schemas
# MIT license; Copyright (c) 2026 the tflm authors

_INT_LIMIT = 1 << 63
SIZE = 1 << 32  # a schema: a number of bytes of a board's memory


class Nullable:
    """A schema that also allows None."""

    def __init__(self, schema):
        self.schema = schema


def matches(value, schema):
    """Return whether a value matches a schema, which is one of:

    a type (ints of at most 64 bits; object for any value); a number, for ints from 0 to that
    number; Nullable(schema); [schema] for a list of any length; (schema, ...) for a tuple or list
    of these items; {name: schema, ...} for a dict with exactly these keys; {type: schema} for a
    dict with any keys of that type.
    """
    if isinstance(schema, Nullable):
        return value is None or matches(value, schema.schema)
    if isinstance(schema, list):
        return isinstance(value, list) and all(matches(entry, schema[0]) for entry in value)
    if isinstance(schema, tuple):
        return (
            isinstance(value, (tuple, list))
            and len(value) == len(schema)
            and all(map(matches, value, schema))
        )
    if isinstance(schema, dict):
        return isinstance(value, dict) and _entries_match(value, schema)
    if isinstance(schema, int):
        return type(value) is int and 0 <= value <= schema
    if schema is int:
        return type(value) is int and -_INT_LIMIT <= value < _INT_LIMIT
    return schema is object or type(value) is schema


def _entries_match(value, schema):
    key = next(iter(schema))
    if isinstance(key, type):
        return all(matches(k, key) and matches(entry, schema[key]) for k, entry in value.items())
    return value.keys() == schema.keys() and all(matches(value[k], schema[k]) for k in schema)
