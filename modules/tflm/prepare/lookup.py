# tflm: unary int8 operators as tables of 256 bytes
# MIT license; Copyright (c) 2026 the tflm authors

LOOKUP = ("input", "table", "output")


# Write the record for kernels/lookup.py; `function` maps each int8 value to one.
def emit_lookup(context, node, function):
    table = bytearray(256)
    for x in range(-128, 128):
        table[x & 0xFF] = function(x) & 0xFF
    source = node.input(0)
    context.emit(
        "lookup.eval_int8",
        LOOKUP,
        source.elements(),
        source.elements(),
        input=source,
        table=context.constant(table, 1),
        output=node.output(0),
    )
