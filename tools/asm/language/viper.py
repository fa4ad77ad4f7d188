# Kernel language: compiles a portable viper kernel
# MIT license; Copyright (c) 2026 the tflm authors

# The source is a function of modules/tflm/kernels and those that it calls, which are inlined. It
# means what viper makes of it on a machine with words of Machine.word_bits bits. These patterns
# become better operations:
#   (p[i] ^ 0x80) - 0x80        a load with sign, also of 16 bits
#   (x & 0xFF ^ 0x80) - 0x80    an extension of the sign, also of 16 bits
#   (x + (1 << n - 1) >> n) + y a shift that rounds
#   if sign: v = (x * y >> 30) + 1 >> 1   the product of words of 64 bits, where mulh is fast
#   the same, then a shift      Machine.rescale, if it has that; x is then a multiplier, which is
#                               not negative, and y is v
#   four times acc += p[i] * q[i], i = 0..3, of bytes   Machine.add_byte_products, if it has that;
#                               p and q are then multiples of 4
# Not supported, because no portable kernel needs it: objects, floats, nested functions.

import ast

from tflm_tools.locked_ast import parse

from .calls import begin_eval, begin_function
from .ir import Condition, Reg
from .machine import to_signed
from .macros import floor_divide, multiply_rounded
from .viper_file import ViperFile

_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or",
           ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "asr"}  # fmt: skip
_COMPARE = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
_FOLD = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "shl": lambda x, y: x << y,
    "asr": lambda x, y: x >> y,
    "lsr": lambda x, y: x >> y,
    "divide": lambda x, y: x // y,
    "modulo": lambda x, y: x % y,
}
_TRUTH = {"eq": lambda x, y: x == y, "lt": lambda x, y: x < y, "le": lambda x, y: x <= y}
_COMMUTATIVE = ("add", "mul", "and", "or", "xor")
_NEUTRAL_ZERO = ("add", "sub", "or", "xor", "shl", "asr", "lsr")
_KINDS = {"ptr8": ("u8", 0), "ptr16": ("u16", 1), "ptr32": ("w", 2)}  # (kind, scale of an index)
_CASTS = ("int", "uint", "bool", "ptr", *_KINDS)
_SIGNED = {"u8": ("s8", 0x80), "u16": ("s16", 0x8000)}
_LOOP_WEIGHT = 8
_OPTION_WEIGHT = 1 / 16  # of an `if` without `else` whose condition is a word of a record


class UntranslatableError(Exception):
    """A kernel uses what the front end does not support."""


class _Function:
    """Translates one function; inlined ones have their own."""

    def __init__(self, k, file, node, machine):
        self.k, self.file, self.machine = k, file, machine
        self.vars, self.types, self.known, self.loops = {}, {}, {}, []
        self.functions = dict(file.functions)  # also those that are arguments of this call
        self.stored = _stored_names(node)
        # Names that statements in loops and conditions assign; others may be constants.
        inner = [child for child in node.body if not isinstance(child, ast.Assign)]
        self.varying = set().union(*map(_stored_names, inner))
        self.end, self.result, self.result_type = k.new_label("return"), k.reg(), "int"
        if node.returns is not None:
            self.result_type = ast.unparse(node.returns)
        for argument in node.args.args:
            if argument.annotation:
                self.types[argument.arg] = argument.annotation.id

    def inline(self, node):
        """Translate a call in place; its parameters become registers or constants."""
        if not isinstance(node.func, ast.Name) or node.func.id not in self.functions:
            raise self.error(node, "calls what is no function of a portable kernel")
        file, function = self.functions[node.func.id]
        if function.name in self.machine.helpers and file.path.stem.startswith("float32"):
            self.k.emit("call", [], list(map(self.value, node.args)), info=function.name)
            return 0
        inner = _Function(self.k, file, function, self.machine)
        for argument, given in zip(function.args.args, node.args, strict=True):
            name = argument.arg
            if isinstance(given, ast.Name) and given.id in self.functions:
                inner.functions[name] = self.functions[given.id]
                continue
            value = self.value(given)
            inner.types.setdefault(name, self.type_of(given))
            if isinstance(value, int) and name not in inner.varying:
                inner.known[name] = value
            elif name in inner.stored or isinstance(value, int):
                inner.vars[name] = self.k.var(name, value)
            else:
                inner.vars[name] = value
        inner.body(function.body)
        self.k.label(inner.end)
        return inner.result

    def error(self, node, text):
        return UntranslatableError(f"{self.file.path.name}:{node.lineno}: {text}")

    # A number as a word of the machine, with its sign, and without.
    def _signed_word(self, number):
        return to_signed(number, self.machine.word_bits)

    def _unsigned(self, number):
        return number & (1 << self.machine.word_bits) - 1

    # Expressions. Values are registers or numbers.

    def type_of(self, node):
        """Return the viper type of an expression: int, uint or a pointer."""
        if isinstance(node, ast.Call):
            name = node.func.id
            if name in _CASTS:
                return name
            function = self.functions.get(name)
            return ast.unparse(function[1].returns) if function and function[1].returns else "int"
        if isinstance(node, ast.Name):
            return self.types.get(node.id, "int")
        if isinstance(node, ast.BinOp):
            return self.type_of(node.left)
        return self.type_of(node.body) if isinstance(node, ast.IfExp) else "int"

    def value(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return self._signed_word(int(node.value))
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in _CASTS:
                return self.value(node.args[0])
            return self.inline(node)
        if isinstance(node, ast.Subscript):
            return self._load(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.value(node.operand)
            return self._signed_word(-value) if isinstance(value, int) else -value
        if isinstance(node, ast.IfExp):
            return self._choice(node.test, node.body, node.orelse)
        if isinstance(node, ast.Compare | ast.BoolOp) or _is_not(node):
            return self._choice(node, ast.Constant(1), ast.Constant(0))
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        raise self.error(node, f"{ast.unparse(node)} is not supported")

    def _name(self, node):
        for values in (self.known, self.vars, self.file.constants):
            if node.id in values:
                return values[node.id]
        raise self.error(node, f"{node.id} has no value")

    def _choice(self, test, one, other):
        k = self.k
        to, otherwise, end = k.reg(), k.new_label("else"), k.new_label("endif")
        decided = self.jump(test, otherwise, False)
        if decided is not None:
            return self.value(other if decided else one)
        to.set(self.value(one))
        k.goto(end)
        k.label(otherwise)
        to.set(self.value(other))
        k.label(end)
        return to

    def _binary(self, node):
        k, name = self.k, _BINARY.get(type(node.op))
        pattern = self._signed(node) or self._rounded(node)
        if pattern:
            return pattern
        one, other = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.FloorDiv | ast.Mod):
            return self._divide(one, other, isinstance(node.op, ast.Mod))
        if name is None:
            raise self.error(node, f"{ast.unparse(node)} is not supported")
        if name == "asr" and self.type_of(node.left) == "uint":
            name = "lsr"
        if isinstance(one, int) and isinstance(other, int):
            one = self._unsigned(one) if name == "lsr" else one
            return self._signed_word(_FOLD[name](one, other))
        if isinstance(other, int) and other == 0 and name in _NEUTRAL_ZERO:
            return one
        if name == "sub" and isinstance(other, int):
            name, other = "add", self._signed_word(-other)
        if isinstance(one, int) and name in _COMMUTATIVE:
            one, other = other, one
        if name == "mul" and isinstance(other, int) and other > 0 and other & other - 1 == 0:
            name, other = "shl", other.bit_length() - 1
            if other == 0:
                return one
        to = k.reg()
        k.emit(name, [to], [one, other])
        return to

    def _divide(self, one, other, is_modulo):
        if isinstance(one, int) and isinstance(other, int):
            return _FOLD["modulo" if is_modulo else "divide"](one, other)
        k = self.k
        one = one if isinstance(one, Reg) else k.const(one)
        quotient = floor_divide(k, one, other)
        if not is_modulo:
            return quotient
        return one - quotient * other

    # (p[i] ^ 0x80) - 0x80, (x & 0xFF ^ 0x80) - 0x80, and the same with 16 bits.
    def _signed(self, node):
        flip = node.left
        if not isinstance(node.op, ast.Sub) or not isinstance(flip, ast.BinOp):
            return None
        if not isinstance(flip.op, ast.BitXor):
            return None
        half = _number(node.right)
        if half is None or _number(flip.right) != half:
            return None
        inner = flip.left
        for kind, (signed, bit) in _SIGNED.items():
            if half != bit:
                continue
            if isinstance(inner, ast.Subscript) and self._kind(inner)[0] == kind:
                return self._load(inner, signed)
            if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.BitAnd):
                value = self.value(inner.left)
                if _number(inner.right) == 2 * bit - 1 and isinstance(value, Reg):
                    to = self.k.reg()
                    self.k.emit(signed, [to], [value])
                    return to
        return None

    # (x + (1 << n - 1) >> n) + y
    def _rounded(self, node):
        shift = node.left
        if not isinstance(node.op, ast.Add) or not isinstance(shift, ast.BinOp):
            return None
        if not isinstance(shift.op, ast.RShift) or self.type_of(shift.left) == "uint":
            return None
        bits, total = _number(shift.right), shift.left
        if not bits or not isinstance(total, ast.BinOp) or not isinstance(total.op, ast.Add):
            return None
        if _number(total.right) != 1 << bits - 1:
            return None
        value, other, to = self.value(total.left), self.value(node.right), self.k.reg()
        self.k.emit("round_shift", [to], [value, other], info=bits)
        return to

    def _kind(self, node):
        kind = self.type_of(node.value)
        if kind not in _KINDS:
            raise self.error(node, f"{ast.unparse(node.value)} is no pointer")
        return _KINDS[kind]

    def _load(self, node, kind=None):
        own, scale = self._kind(node)
        base, index = self.value(node.value), self.value(node.slice)
        if isinstance(base, int):
            base = self.k.const(base)
        if isinstance(index, int):
            return base.get(kind or own, index << scale)
        return base.get(kind or own, index, scale=scale)

    # Conditions.

    def jump(self, node, label, when):
        """Jump to a label if a condition is true (when=True) or false (when=False).

        If the condition is constant, write no jump and return whether it would be taken.
        """
        k = self.k
        if _is_not(node):
            return self.jump(node.operand, label, not when)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return self.jump(_chain(node), label, when)
        if isinstance(node, ast.BoolOp):
            return self._jump_of_many(node, label, when)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "bool":
            return self.jump(node.args[0], label, when)
        condition = self._condition(node)
        name, one, other = condition.name, condition.one, condition.other
        if isinstance(one, int) and isinstance(other, int):
            if name[0] == "u":
                name, one, other = name[1:], self._unsigned(one), self._unsigned(other)
            return _is_true(name, one, other) == when
        k.branch(condition if when else condition.opposite(), label)
        return None

    def _jump_of_many(self, node, label, when):
        k, is_any = self.k, isinstance(node.op, ast.Or)
        past = k.new_label("past")
        for each in node.values[:-1]:
            if is_any == when:
                decided = self.jump(each, label, when)
            else:
                decided = self.jump(each, past, not when)
            if decided:
                k.goto(label if is_any == when else past)
        if self.jump(node.values[-1], label, when):
            k.goto(label)
        k.label(past)

    def _condition(self, node):
        if not isinstance(node, ast.Compare):
            return Condition("ne", self.value(node), 0)
        name, left, right = _COMPARE[type(node.ops[0])], node.left, node.comparators[0]
        if "uint" in (self.type_of(left), self.type_of(right)) and name not in ("eq", "ne"):
            name = "u" + name
        return Condition(name, self.value(left), self.value(right))

    # Statements.

    def body(self, statements):
        at = 0
        while at < len(statements):
            if self._byte_products(statements[at : at + 4]):
                at += 4
                continue
            if self._rescaled(statements[at : at + 2]):
                at += 2
                continue
            self.statement(statements[at])
            at += 1

    def statement(self, node):
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        if method is None:
            raise self.error(node, f"{ast.unparse(node)} is not supported")
        self.k.note(
            f"{self.file.path.name}:{node.lineno} {self.file.lines[node.lineno - 1].strip()}"
        )
        method(node)

    def _pass(self, node):
        pass

    def _expr(self, node):
        if isinstance(node.value, ast.Call):
            self.inline(node.value)

    def _assign(self, node):
        if isinstance(node.targets[0], ast.Tuple):
            values = [self.k.const(self.value(each)) for each in node.value.elts]
            for target, value in zip(node.targets[0].elts, values, strict=True):
                self._set(target, value, "int")
            return
        kind = self.type_of(node.value)
        for target in node.targets:
            self._set(target, self.value(node.value), kind)

    def _augassign(self, node):
        target = node.target
        self._set(
            target, self.value(ast.BinOp(target, node.op, node.value, lineno=node.lineno)), "int"
        )

    def _set(self, target, value, kind):
        if isinstance(target, ast.Subscript):
            own, scale = self._kind(target)
            base, index = self.value(target.value), self.value(target.slice)
            if isinstance(index, int):
                return base.put(own, value, index << scale)
            return base.put(own, value, index, scale)
        name = target.id
        self.types.setdefault(name, kind)
        if isinstance(value, int) and name not in self.varying:
            self.known[name] = value
            return None
        self.known.pop(name, None)
        if name not in self.vars:
            self.vars[name] = self.k.reg(name)
        return self.vars[name].set(value)

    # if sign: v = (x * y >> 30) + 1 >> 1. This is the branch for x64, translated in place of the
    # other branch.
    def _rounded_product(self, node):
        product = self._product(node)
        if product is None:
            return False
        target, one, other = product
        product = multiply_rounded(self.k, self.value(one), self.value(other))
        self._set(target, product, "int")
        return True

    # Return (v, x, y) of _rounded_product(), or None.
    def _product(self, node):
        if not self.machine.has_mulh or not isinstance(node, ast.If) or len(node.body) > 1:
            return None
        if ast.unparse(node.test) != "sign":
            return None
        match node.body[0]:
            case ast.Assign(
                targets=[target],
                value=ast.BinOp(
                    ast.BinOp(
                        ast.BinOp(ast.BinOp(one, ast.Mult(), other), ast.RShift(), bits),
                        ast.Add(),
                        addend,
                    ),
                    ast.RShift(),
                    last,
                ),
            ) if list(map(_number, (bits, addend, last))) == [30, 1, 1]:
                return target, one, other
        return None

    # A product of _product(), then a shift by e: if e: v = ((v >> 31) + v >> e - 1) + 1 >> 1. Or
    # by n + 1: if n >= 0: v = ((v >> 31) + v >> n) + 1 >> 1.
    def _rescaled(self, statements):
        product = self._product(statements[0]) if self.machine.rescale else None
        if product is None or len(statements) < 2 or not isinstance(statements[1], ast.If):
            return False
        v, one, other = map(ast.unparse, product)
        test = ast.unparse(statements[1].test)
        name = test.removesuffix(" >= 0")
        is_less = name != test
        by = name if is_less else f"{name} - 1"
        shift = f"if {test}:\n    {v} = (({v} >> 31) + {v} >> {by}) + 1 >> 1"
        if v != other or ast.unparse(statements[1]) != ast.unparse(parse(shift)):
            return False
        self.k.note(f"{self.file.path.name}:{statements[1].lineno} {one} * {v}, shifted")
        doubled = self.k.const(self.value(product[1])) << 1
        right = self.k.const(self.value(ast.Name(name, lineno=statements[1].lineno)))
        self.machine.rescale(self.k, self.vars[v], doubled, right + 1 if is_less else right)
        return True

    # Four times acc += p[i] * q[i], where p and q point to bytes, with sign or without.
    def _byte_products(self, statements):
        write = self.machine.add_byte_products
        if write is None or len(statements) < 4:
            return False
        total, pairs = None, []
        for i, node in enumerate(statements):
            match node:
                case ast.AugAssign(
                    target=ast.Name(id=name),
                    op=ast.Add(),
                    value=ast.BinOp(one, ast.Mult(), other),
                ) if total in (None, name):
                    total = name
                    pairs.append((self._byte_at(one, i), self._byte_at(other, i)))
                case _:
                    return False
        if None in pairs[0] or len(set(pairs)) > 1:
            return False
        first = statements[0]
        self.k.note(f"{self.file.path.name}:{first.lineno} four products of bytes")
        words = [
            (self.value(ast.Name(name, lineno=first.lineno)).get("w"), sign)
            for name, sign in pairs[0]
        ]
        write(self.k, self.vars[total], *words)
        return True

    # (pointer, True if with sign) of byte `i` at a pointer, or None.
    def _byte_at(self, node, i):
        match node:
            case ast.BinOp(ast.BinOp(byte, ast.BitXor(), flip), ast.Sub(), half) if (
                _number(flip) == _number(half) == 0x80
            ):
                sign = True
            case byte:
                sign = False
        match byte:
            case ast.Subscript(value=ast.Name(id=name), slice=index) if _number(index) == i:
                return (name, sign) if self.types.get(name) == "ptr8" else None
        return None

    def _if(self, node):
        k = self.k
        if self._rounded_product(node):
            return
        otherwise, end = k.new_label("else"), k.new_label("endif")
        decided = self.jump(node.test, otherwise, False)
        if decided is not None:
            self.body(node.orelse if decided else node.body)
            k.label(otherwise)
            return
        is_option = isinstance(node.test, ast.Subscript) and not node.orelse
        with k.weighted(_OPTION_WEIGHT if is_option else 1 / 2):
            self.body(node.body)
        if node.orelse:
            k.goto(end)
        k.label(otherwise)
        with k.weighted(1 / 2):
            self.body(node.orelse)
        k.label(end)

    def _while(self, node):
        k = self.k
        top, test, end = k.new_label("while"), k.new_label("test"), k.new_label("wend")
        if self.jump(node.test, end, False):
            return
        k.label(top)
        self.loops.append((test, end))
        with k.weighted(_LOOP_WEIGHT):
            self.body(node.body)
            k.label(test)
            if self.jump(node.test, top, True):
                k.goto(top)
        self.loops.pop()
        k.label(end)

    # for name in range(start, stop, step), whose body does not assign to the name
    def _for(self, node):
        k, name = self.k, ast.unparse(node.target)
        if ast.unparse(node.iter.func) != "range" or name in set().union(
            *map(_stored_names, node.body)
        ):
            raise self.error(node, "a loop that is no simple range is not supported")
        limits = [self.value(each) for each in node.iter.args]
        start, stop = limits[:2] if len(limits) > 1 else (0, limits[0])
        step = limits[2] if len(limits) > 2 else 1
        if not isinstance(step, int):
            raise self.error(node, "a step that is no constant is not supported")
        if isinstance(stop, Reg):
            stop = k.var("stop", stop)
        self.types.setdefault(name, "int")
        index = self.vars.setdefault(name, k.reg(name))
        index.set(start)
        top, following, end = k.new_label("for"), k.new_label("next"), k.new_label("fend")
        k.branch(Condition("ge" if step > 0 else "le", index, stop), end)
        k.label(top)
        self.loops.append((following, end))
        is_constant = isinstance(start, int) and isinstance(stop, int)
        times = len(range(start, stop, step)) if is_constant else _LOOP_WEIGHT
        with k.weighted(times):
            self.body(node.body)
            k.label(following)
            index += step
            k.branch(Condition("lt" if step > 0 else "gt", index, stop), top)
        self.loops.pop()
        k.label(end)

    def _break(self, node):
        self.k.goto(self.loops[-1][1])

    def _continue(self, node):
        self.k.goto(self.loops[-1][0])

    def _return(self, node):
        if node.value is not None:
            self.result.set(self.value(node.value))
        self.k.goto(self.end)


def _stored_names(node):
    return {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _is_not(node):
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


# x < y < z as x < y and y < z
def _chain(node):
    operands = [node.left, *node.comparators]
    pairs = [
        ast.Compare(operands[i], [op], [operands[i + 1]], lineno=node.lineno)
        for i, op in enumerate(node.ops)
    ]
    return ast.BoolOp(ast.And(), pairs, lineno=node.lineno)


def _number(node):
    return node.value if isinstance(node, ast.Constant) else None


def _is_true(name, one, other):
    if name in ("gt", "ge"):
        name, one, other = {"gt": "lt", "ge": "le"}[name], other, one
    return not _TRUTH["eq"](one, other) if name == "ne" else _TRUTH[name](one, other)


def translate(path, function, machine):
    """Return the Kernel of a function eval_... of a portable kernel file (Path).

    Raises UntranslatableError.
    """
    about = f"{function}() of kernels/{path.name}, compiled."
    k, start, stop = begin_eval(function, about, machine)
    write_portable(k, path, function, machine, [*k.arguments[:3], start, stop])
    return k.finish()


def write_portable(k, path, function, machine, arguments):
    """Add the operations of a function eval_... of a portable kernel file to a kernel.

    arguments: registers with its arguments. Raises UntranslatableError.
    """
    file = ViperFile(path)
    _, node = file.functions[function]
    if any(isinstance(each, ast.Return) and each.value for each in ast.walk(node)):
        raise UntranslatableError(f"{path.name}: {function} returns a value")
    body = _Function(k, file, node, machine)
    names = [argument.arg for argument in node.args.args]
    body.vars = dict(zip(names, arguments, strict=True))
    body.body(node.body)
    k.label(body.end)


def translate_function(path, function, machine):
    """Return the Kernel of a viper function of a file (Path); see calls.begin_function().

    Raises UntranslatableError.
    """
    file = ViperFile(path)
    _, node = file.functions[function]
    about = f"{function}() of {path.parent.name}/{path.name}, compiled."
    names = [argument.arg for argument in node.args.args]
    k, registers = begin_function(function, about, names, machine)
    body = _Function(k, file, node, machine)
    body.vars = dict(zip(names, registers, strict=True))
    body.body(node.body)
    k.label(body.end)
    return k.finish(body.result if node.returns else None)
