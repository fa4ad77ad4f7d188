# tflm_tools: packages: writes and reads listings of machine code in the source of stub functions
# MIT license; Copyright (c) 2026 the tflm authors

# A line "#: 366100 entry a1, 48" in the body of a function is an instruction: its bytes in the
# order of memory, then the instruction for readers. All such lines together are the function.

import ast
import re

from ... import locked_ast
from ...errors import ToolError

_LINE = re.compile(r"^\s+#: ((?:[0-9a-f]{2})+)(?: |$)", re.MULTILINE)


def lines(instructions):
    """Return the comment lines for a function's body; instructions: (bytes, text) of each.

    Without bytes, the text is a remark for readers.
    """
    return "".join(
        f"    #: {code.hex()} {text}\n" if code else f"    # {text}\n"
        for code, text in instructions
    )


def is_in(source):
    """Return whether a source contains listings."""
    return bool(_LINE.search(source))


def functions(source):
    """Return [(name, number of arguments, machine code or b"")] of a module's functions, in order.

    Raises ToolError if the module has other code that mpy-cross compiles to functions.
    """
    tree, text = locked_ast.parse(source), source.splitlines(keepends=True)
    listed = []
    for node in tree.body:
        inner = [each for each in ast.walk(node) if each is not node]
        if isinstance(node, ast.FunctionDef):
            body = "".join(text[node.lineno - 1 : node.end_lineno])
            code = b"".join(bytes.fromhex(data) for data in _LINE.findall(body))
            listed.append((node.name, len(node.args.args), code))
        elif isinstance(node, _LIKE_FUNCTIONS) or any(
            isinstance(each, _LIKE_FUNCTIONS) for each in inner
        ):
            raise ToolError(
                f"line {node.lineno} has a class, a lambda or a comprehension; a file with "
                "machine code has functions only"
            )
    return listed


# Nodes that mpy-cross compiles to functions.
_LIKE_FUNCTIONS = (
    ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
)  # fmt: skip
