# Macros for kernels on x86-64 that compute the output pixel by pixel, each with all channels
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

# rbx is the address of the record that Prepare wrote, whose words have 32 bits.


def word(t, register, number):
    """Load a word of the record, as a number with a sign, to a register of 64 bits."""
    t.movsxd(register, at("rbx", 4 * number))


def operand(t, register, number):
    """The address of an operand of the record. Uses rax."""
    t.mov("eax", at("rbx", 4 * number))
    t.mov("r11d", "eax")
    t.and_("r11d", 1)
    t.load(register, "arena")
    t.cmovne(register, t.slot("rom"))
    t.shr("rax", 2)
    t.add(register, "rax")


def first_pixel(t, height, width):
    """Slots `batch`, `y` and `x` of the first unit; the units are pixels. Uses rax, rcx, rdx."""
    t.load("rax", "start")
    for number, slot in ((width, "x"), (height, "y")):
        t.xor("edx", "edx")
        word(t, "rcx", number)
        t.div("rcx")
        t.store(slot, "rdx")
    t.store("batch", "rax")


def next_pixel(t, height, width, same_row):
    """Go on to the next pixel; jump to `same_row` if it is in the same row. Uses rax, rcx."""
    for slot, number, label in (("x", width, same_row), ("y", height, "row")):
        t.load("rax", slot)
        t.add("rax", 1)
        t.store(slot, "rax")
        word(t, "rcx", number)
        t.cmp("rax", "rcx")
        t.jl(label)
        t.xor("eax", "eax")
        t.store(slot, "rax")
    t.load("rax", "batch")
    t.add("rax", 1)
    t.store("batch", "rax")
    t.jmp("row")


def inside(t, slot, numbers, first, skipped, cells):
    """The cells of the window, in one direction, that are inside the image.

    slot: the output pixel's place. numbers: of the words input size, filter size, stride, dilation
    (None: 1) and padding. Slots that get the result: `first` the place of the first cell in the
    image, `skipped` cells before it, `cells` how many there are, which may be none. Uses rax, rcx,
    rdx, r8, r9.
    """
    size, window, stride, dilation, padding = numbers
    before, after, found = t.new_label("before"), t.new_label("after"), t.new_label("inside")
    counted = t.new_label("counted")
    t.load("rax", slot)
    word(t, "rcx", stride)
    t.imul("rax", "rcx")
    word(t, "rcx", padding)
    t.sub("rax", "rcx")
    word(t, "rcx", window)
    if dilation is None:
        t.mov("r9d", 1)
    else:
        word(t, "r9", dilation)
    t.xor("edx", "edx")
    t.label(before)
    t.test("rax", "rax")
    t.jns(found)
    t.test("rcx", "rcx")
    t.je(found)
    t.add("rax", "r9")
    t.add("rdx", 1)
    t.dec("rcx")
    t.jmp(before)
    t.label(found)
    t.store(first, "rax")
    t.store(skipped, "rdx")
    t.lea("rdx", at("rcx", -1))
    t.imul("rdx", "r9")
    t.add("rax", "rdx")  # the last cell
    word(t, "r8", size)
    t.label(after)
    t.cmp("rax", "r8")
    t.jl(counted)
    t.test("rcx", "rcx")
    t.je(counted)
    t.sub("rax", "r9")
    t.dec("rcx")
    t.jmp(after)
    t.label(counted)
    t.store(cells, "rcx")


def channels(t, is_avx, number, emit):
    """Code for all channels, some vectors at a time, which word `number` counts.

    emit(kind, count) writes code for `count` vectors from byte r12 of each pixel on; a kind is
    "ymm", "xmm" or "" for single elements. It must keep r12 and r13, the bytes of all channels.
    The last vector may compute channels again that are done already.
    """
    word(t, "r13", number)
    t.shl("r13", 2)
    t.xor("r12d", "r12d")
    done = t.new_label("channels_done")
    kinds = (("ymm", 32), ("xmm", 16)) if is_avx else (("xmm", 16),)
    for kind, size in kinds:
        smaller = t.new_label("fewer_channels")
        t.cmp("r13", size)
        t.jl(smaller)
        for count in (4, 1):
            loop, rest = t.new_label("channels"), t.new_label("rest")
            t.label(loop)
            t.lea("rax", at("r12", size * count))
            t.cmp("rax", "r13")
            t.jg(rest)
            emit(kind, count)
            t.add("r12", size * count)
            t.jmp(loop)
            t.label(rest)
        t.cmp("r12", "r13")
        t.je(done)
        t.lea("r12", at("r13", -size))
        emit(kind, 1)
        t.jmp(done)
        t.label(smaller)
    single = t.new_label("channel")
    t.label(single)
    t.cmp("r12", "r13")
    t.jge(done)
    emit("", 1)
    t.add("r12", 4)
    t.jmp(single)
    t.label(done)


class Kind:
    """Instructions for vectors of a kind ("ymm", "xmm" or "" for single elements)."""

    def __init__(self, t, kind, is_avx):
        self._t, self._name, self._is_avx = t, kind or "xmm", is_avx
        self._suffix = "ps" if kind else "ss"
        self._move = "movups" if kind else "movss"
        self.size = {"ymm": 32, "xmm": 16, "": 4}[kind]

    def _call(self, instruction, *operands):
        prefix = "v" if self._is_avx else ""
        names = [f"{self._name}{each}" if isinstance(each, int) else each for each in operands]
        getattr(self._t, prefix + instruction)(*names)

    def load(self, to, memory):
        self._call(self._move, to, memory)

    def store(self, memory, register):
        self._call(self._move, memory, register)

    def move(self, to, register):
        self._call("movaps", to, register)

    def zero(self, register):
        operands = [register] * (3 if self._is_avx else 2)
        self._call("xorps", *operands)

    def broadcast(self, to, memory):
        """Load one element to all."""
        if self._suffix == "ss":
            self._call("movss", to, memory)
        elif self._is_avx:
            self._t.vbroadcastss(f"{self._name}{to}", memory)
        else:
            self._t.movss(f"xmm{to}", memory)
            self._t.shufps(f"xmm{to}", f"xmm{to}", 0)

    def apply(self, instruction, to, one, other):
        """to = one `instruction` other; `other` must not be `to` unless `one` is."""
        name = instruction + self._suffix
        if self._is_avx:
            return self._call(name, to, one, other)
        if to != one:
            assert to != other
            self._t.movaps(f"xmm{to}", f"xmm{one}")
        self._call(name, to, other)
