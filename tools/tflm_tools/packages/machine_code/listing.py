# tflm_tools: machine code: what stands in the source of a function that is only a stub
# MIT license; Copyright (c) 2026 the tflm authors

# A line "#: 366100 entry a1, 48" in the body of a function holds an instruction: its bytes as they
# lie in memory, and what they are, for people. Together they are the whole function.

import ast
import re

from ... import locked_ast
from ...errors import ToolError

_LINE = re.compile(r"^\s+#: ((?:[0-9a-f]{2})+)(?: |$)", re.MULTILINE)


def lines(instructions):
    """The comments for (bytes, text) of each instruction, to stand in a function's body."""
    return "".join(f"    #: {code.hex()} {text}\n" for code, text in instructions)


def is_in(source):
    """Whether a source has such lines."""
    return bool(_LINE.search(source))


def functions(source):
    """[(name, number of arguments, machine code or b"")] of a module's functions, in their order.

    Raises ToolError where a module has code that mpy-cross counts as further functions.
    """
    tree, text = locked_ast.parse(source), source.splitlines(keepends=True)
    found = []
    for node in tree.body:
        inner = [each for each in ast.walk(node) if each is not node]
        if isinstance(node, ast.FunctionDef):
            body = "".join(text[node.lineno - 1 : node.end_lineno])
            code = b"".join(bytes.fromhex(data) for data in _LINE.findall(body))
            found.append((node.name, len(node.args.args), code))
        elif isinstance(node, _OTHERS) or any(isinstance(each, _OTHERS) for each in inner):
            raise ToolError(
                f"line {node.lineno} has a class, a lambda or a comprehension; a file with "
                "machine code has functions only"
            )
    return found


_OTHERS = (ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
