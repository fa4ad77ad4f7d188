# Kernel language: the constants and functions of a portable kernel file
# MIT license; Copyright (c) 2026 the tflm authors

import ast

from tflm_tools import locked_ast


class ViperFile:
    """constants: {name: number}. functions: {name: (ViperFile, ast.FunctionDef)}; both contain
    what the file imports from other kernel files.
    """

    _read = {}  # {path: ViperFile}

    def __new__(cls, path):
        if path not in cls._read:
            cls._read[path] = file = super().__new__(cls)
            file._parse(path)
        return cls._read[path]

    def _parse(self, path):
        self.path, self.constants, self.functions = path, {}, {}
        source = path.read_text()
        self.lines = source.splitlines()
        for node in locked_ast.parse(source).body:
            if isinstance(node, ast.ImportFrom) and node.level and node.module:
                self._import(node)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._assign(node)
            elif isinstance(node, ast.FunctionDef):
                self.functions[node.name] = self, node

    def _import(self, node):
        folder = self.path.parents[node.level - 1]
        path = folder / f"{node.module.replace('.', '/')}.py"
        if not path.is_file():
            return
        other = ViperFile(path)
        for name in node.names:
            for known, own in (
                (other.functions, self.functions),
                (other.constants, self.constants),
            ):
                if name.name in known:
                    own[name.asname or name.name] = known[name.name]

    # NAME = const(a number, or an expression of constants), or another name of a function
    def _assign(self, node):
        value = node.value
        if isinstance(value, ast.Name) and value.id in self.functions:
            for target in node.targets:
                self.functions[target.id] = self.functions[value.id]
            return
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "const":
            value = value.args[0]
        try:
            number = eval(ast.unparse(value), {"__builtins__": {}}, self.constants)
        except (NameError, TypeError, AttributeError):
            return
        if isinstance(number, int):
            self.constants[node.targets[0].id] = int(number)
