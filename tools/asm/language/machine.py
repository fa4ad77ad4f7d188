# Kernel language: what the machines share: lowering, jumps and the text of a function
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import count

from .allocator import allocate
from .ir import OPPOSITE, SWAPPED, Op, Reg, numbers
from .kernel import Step

# Operations without effects but on their results.
PURE = {"add", "sub", "mul", "and", "or", "xor", "shl", "asr", "lsr", "mov", "ld", "field", "min",
        "max", "s8", "s16", "divu", "remu", "mulhu", "mulh", "ult", "li", "reload"}  # fmt: skip
_MAX_NOTE = 92  # characters of a comment


def to_signed(value, bits=32):
    """Return a number of some bits with its sign."""
    half = 1 << bits - 1
    return (value + half & 2 * half - 1) - half


class Machine:
    """An instruction set. A subclass defines the attributes below, and methods of three kinds.

    lower_NAME(op): replace an operation of a kernel by operations that are instructions, with
        put(); without this method, the operation is an instruction itself.
    branch(condition, one, other, label): the same for a comparison and jump.
    write(kernel, code, used): return the text of the function. used: bits of physical registers.
        Machine.write() calls function(kernel, used), which returns an encoder `t`; for comparisons
        and jumps write_branch(t, condition, one, other, label); for other operations
        write_NAME(t, op, results, operands) or, without this method, write_other().

    name: of the folder in modules/tflm/kernels. registers: names of the physical registers, whose
    indices are used elsewhere. low, high: bits of those that all instructions take, and of those
    that only some do. order: which to prefer. saved: bits of those that a function must keep.
    """

    high = 0
    word_bits = 32
    has_ascending_ldm = False  # LDM and STM exist, and their registers are in ascending order
    has_mulh = True  # the upper word of a product in one or two instructions
    has_divide = True
    has_unaligned_loads = False  # of words and halfwords
    has_fpu = has_float_divide = False  # see fpu.py
    has_float_conversion = False  # of integers that are in registers of the FPU
    has_hardware_loops = False  # that repeat operations without a jump
    slot_cycles = 1  # of a load or store of a slot
    max_arguments = 4  # of a function that MicroPython calls
    # Function (k, total, (word, sign), (word, sign)) that adds four products of the bytes of two
    # words to `total`, if that is faster than to load the bytes. sign: whether the bytes have one.
    add_byte_products = None
    # Function (k, value, doubled, right) that changes `value` to value * multiplier >> 31, then
    # shifts it to the right, if that is faster than rounded_product() and shifts. Both steps
    # round; the shift rounds halves away from 0. doubled: register with the multiplier << 1.
    rescale = None
    pure = frozenset(PURE)
    helpers = ()  # names of functions of files float32... that are called, not inlined

    def clobbers(self, op):
        """Return bits of the physical registers that an operation changes besides its results."""
        return op.info if op.name == "clobber" else 0

    def writes_early(self, op, i):
        """Return whether result i may be written before all operands have been read."""
        return op.name == "tile" and i < op.info[2]

    def is_short(self, value):
        """Return whether a number is loaded by one short instruction."""
        return False

    def improve(self, code):
        """Return lowered code with operations joined."""
        return code

    def compile(self, kernel):
        """Return the source of a kernel's function."""
        self._kernel, self._lowered, self._weight = kernel, [], 1.0
        targets = {label for op in kernel.code if op.name != "label" for label in op.to}
        for op in kernel.code:
            self._weight = op.weight
            if op.name != "label" or op.to[0] in targets:
                self._lower(op)
        allocation = allocate(self.improve(self._lowered), kernel.regs, self)
        code = without_copies(allocation.code)
        self._allocation = allocation
        code = self._without_repeats(code)
        used = 0
        for op in code:
            for r in [*op.dst, *op.uses()]:
                used |= 1 << allocation.registers[r.n]
        return self.write(kernel, code, used)

    # Remove copies of a value to a register or slot that has this value already.
    def _without_repeats(self, code):
        out, value_at, values = [], {}, count()  # {register or slot: number of its value}
        for op in code:
            if op.name == "label":
                value_at = {}
            if op.name not in ("mov", "spill", "reload"):
                for location in [*map(self.at, op.dst), *numbers(self.clobbers(op))]:
                    value_at[location] = next(values)
                out.append(op)
                continue
            target = ("slot", op.info) if op.name == "spill" else self.at(op.dst[0])
            source = ("slot", op.info) if op.name == "reload" else self.at(op.src[0])
            value = value_at.setdefault(source, next(values))
            if target == source or value_at.get(target) == value:
                continue
            value_at[target] = value
            out.append(op)
        return out

    def _lower(self, op):
        method = getattr(self, "lower_" + op.name, None)
        if method:
            method(op)
        else:
            self.put(op.name, op.dst, op.src, op.to, op.info, False)

    # For lower_NAME().

    def expand(self, macro, op):
        """Replace an operation by what a macro writes: macro(k, result, *operands)."""
        kernel = self._kernel
        code, kernel.code = kernel.code, []
        macro(kernel, op.dst[0], *op.src)
        written, kernel.code = kernel.code, code
        weight = self._weight
        for each in written:
            self._weight = weight * each.weight
            self._lower(each)
        self._weight = weight

    def put(self, name, dst=(), src=(), to=(), info=None, low=True):
        """Add an instruction."""
        self._lowered.append(Op(name, dst, src, to, info, self._weight, low))

    def temp(self, value=None):
        """Return a new register, with a value if there is one."""
        reg = self._kernel.reg()
        if value is not None:
            self.mov(reg, value)
        return reg

    def mov(self, to, value):
        if not isinstance(value, Reg):
            self.li(to, to_signed(value, self.word_bits))
        elif value is not to:
            self.put("mov", [to], [value], low=False)

    def as_reg(self, value):
        return value if isinstance(value, Reg) else self.temp(value)

    def lower_mov(self, op):
        self.mov(op.dst[0], op.src[0])

    def lower_args(self, op):
        fixed = [self._kernel.reg(f"argument{i}", i) for i in range(len(op.dst))]
        self.put("args", fixed, low=False)
        for to, one in zip(op.dst, fixed, strict=True):
            self.mov(to, one)

    def lower_ret(self, op):
        if op.src:
            result = self._kernel.reg("result", 0)
            self.mov(result, op.src[0])
            op = Op("ret", src=[result])
        self.put("ret", [], op.src, low=False)

    def lower_br(self, op):
        one, other, condition = *op.src, op.info
        if not isinstance(one, Reg):
            one, other, condition = other, one, SWAPPED[condition]
        self.branch(condition, self.as_reg(one), other, op.to[0])

    # to = min or max of two values, in two operands.
    def lower_min(self, op):
        to, one, other = op.dst[0], *op.src
        if to is other:
            one, other = other, one
        other = self.as_reg(other)
        self.mov(to, one)
        self.put(op.name, [to], [to, other], low=False)

    lower_max = lower_min

    # For write().

    def at(self, register):
        """Return the index of the physical register of a register."""
        return self._allocation.registers[register.n]

    def operands(self, op):
        """Return the names or numbers of an operation's results and of its operands."""
        names = self.registers
        return (
            [names[self.at(r)] for r in op.dst],
            [names[self.at(x)] if isinstance(x, Reg) else x for x in op.src],
        )

    def comment(self, op):
        """Return the text of a note, with the locations of its registers."""
        text, registers = op.info
        locations = []
        for r in registers:
            location = self._allocation.location(r)
            if location is not None and r.name:
                location = (
                    self.registers[location] if isinstance(location, int) else f"[{location}]"
                )
                locations.append(f"{r.name} {location}")
        text += f"  ({', '.join(locations)})" if locations else ""
        return text if len(text) <= _MAX_NOTE else f"{text[: _MAX_NOTE - 3]}..."

    def write(self, kernel, code, used):
        t = self.function(kernel, used)
        code, far = self.layout(code)
        end = t.new_label("return")
        for i, op in enumerate(code):
            to, values = self.operands(op)
            if op.name == "br":
                self._write_branch(t, op, values, i in far)
            elif op.name == "ret":
                if i < len(code) - 1:
                    t.jump(end)
            else:
                name = f"write_{op.name}"
                getattr(self, name if hasattr(self, name) else "write_other")(t, op, to, values)
        t.label(end)
        return t.text(returns=any(op.name == "ret" and op.src for op in code))

    def _write_branch(self, t, op, values, is_far):
        near = t.new_label("near") if is_far else op.to[0]
        self.write_branch(t, OPPOSITE[op.info] if is_far else op.info, *values, near)
        if is_far:
            t.jump(op.to[0])
            t.label(near)

    # The text of operations that is the same on all machines.

    def write_jump(self, t, op, to, values):
        t.jump(op.to[0])

    def write_frame(self, t, op, to, values):
        t.address(to[0], op.info)

    def write_args(self, t, op, to, values):
        pass

    write_clobber = write_args

    def write_note(self, t, op, to, values):
        t.note(self.comment(op))

    def write_label(self, t, op, to, values):
        t.label(op.to[0])

    def write_reload(self, t, op, to, values):
        t.load(to[0], op.info)

    def write_spill(self, t, op, to, values):
        t.store(values[0], op.info)

    def write_tile(self, t, op, to, values):
        write, _, outs, info, _ = op.info
        write(t, *to[:outs], *values, *info)

    # (value + half of 1 << bits >> bits) + other, where the first sum never overflows.
    def lower_round_shift(self, op):
        self.expand(lambda k, to, value, other: _round_shift(k, to, value, other, op.info), op)

    # Sizes of jumps: size() of an operation is an upper limit, reach() of a branch a lower one.

    def size(self, op, is_far):
        raise NotImplementedError

    def reach(self, op):
        raise NotImplementedError

    def layout(self, code):
        """Return code without superfluous jumps, labels and notes, and indices of far branches."""
        code = _without_jumps(code)
        targets = {label for op in code if op.name != "label" for label in op.to}
        code = [op for op in code if op.name != "label" or op.to[0] in targets]
        code = [
            op
            for op, following in zip(code, [*code[1:], None], strict=True)
            if op.name != "note" or following is not None and following.name != "note"
        ]
        far = set()
        while True:
            at, labels, position = [], {}, 0
            for i, op in enumerate(code):
                at.append(position)
                if op.name == "label":
                    labels[op.to[0]] = position
                position += self.size(op, i in far)
            more = {
                i
                for i, op in enumerate(code)
                if op.name == "br"
                and i not in far
                and abs(labels[op.to[0]] - at[i]) > self.reach(op)
            }
            if not more:
                return code, far
            far |= more


def _round_shift(k, to, value, other, bits):
    to.set(((value + (1 << bits - 1)) >> bits) + other)


# Remove jumps and branches to the next operation, and operations that nothing leads to.
def _without_jumps(code):
    code = list(code)
    while True:
        i = next((i for i in range(len(code) - 1) if _is_superfluous(code, i)), None)
        if i is None:
            return code
        del code[i]


def _is_superfluous(code, i):
    op = code[i]
    if op.name in ("jump", "br"):
        j = i + 1
        while j < len(code) and code[j].name in ("label", "note"):
            if code[j].to == op.to:
                return True
            j += 1
    return i > 0 and code[i - 1].name in ("jump", "ret") and op.name not in ("label", "note")


def without_copies(code):
    """Write the operations of each Kernel.repeated() as often as it says."""
    out, copied, labels = [], None, []
    for op in code:
        if op.name == "copies":
            copied, labels = [], op.to
        elif op.name == "copies_end":
            inside = {label for each in copied if each.name == "label" for label in each.to}
            for i, label in enumerate(labels):
                out.append(Op("label", to=[label], weight=op.weight))
                out += [_copy(each, i, inside) for each in copied]
            copied = None
        elif copied is None:
            out.append(op)
        else:
            copied.append(op)
    return out


# An operation of copy number i. Labels inside of the copies get its number.
def _copy(op, i, inside):
    src = [int(x) + i * x.step if isinstance(x, Step) else x for x in op.src]
    to = [f"{label}_{i}" if label in inside else label for label in op.to]
    return Op(op.name, op.dst, src, to, op.info, op.weight, op.low)
