# Machine code of CONV_2D and FULLY_CONNECTED for x86-64: windows of rows of pixels
# MIT license; Copyright (c) 2026 the tflm authors

from functools import partial

from tflm.kernels.x64.records import BLOCK, WINDOWS
from tflm_tools.packages.machine_code.x86 import at

from .function import Function
from .vectors import Vectors

# A function works like this:
#
# 1. For each row of output pixels, rows of the input are copied, or converted to int16, with
#    padding around them, if the record says so. Each row is copied once: `copied_rows` rows are
#    kept, the height of a window.
# 2. A table gets the addresses of the runs of taps that the windows of the row consist of.
# 3. For each block of channels and each tile of pixels, sums of products are made in registers.
#    Four pixels share the loads of the weights. The last tile of a row goes over pixels that the
#    one before it has done already, if need be.
# 4. Sums become outputs.
#
# Registers: rbx the record, rbp the words of the block, r12 its output in the row, r13 the
# offset of the tile in rows of the input, r14 weights, r15 the constants for the outputs.

_SLOTS = ("source", "batch_rows", "input_y", "ready", "row_output", "blocks_left", "pixel")
# (pixels, vectors) of the tiles.
TILES = ((4, 1), (4, 2), (1, 1), (1, 2), (1, 4))
PIXELS = 4
DEPTHWISE_VECTORS = 2
DEPTHWISE_TILES = ((PIXELS, DEPTHWISE_VECTORS), (1, DEPTHWISE_VECTORS))


def field(name):
    """A word of the record."""
    return at("rbx", 8 * WINDOWS.index(name))


def block(name):
    """A word of the block."""
    return at("rbp", 8 * BLOCK.index(name))


def windows(name, about, is_avx, copy_row, tile, tiles=TILES, functions=None, begin_row=None):
    """The text of a kernel.

    begin_row(t): what to do first for each row; may use all registers but rbx. copy_row(t): copies
    rsi to rdi as the record says; may use rax, rcx, rdx, rsi, rdi, r10, r11 and vectors. tile(t,
    v, pixels, vectors): the sums and outputs of a tile, which go to r8; may use all registers but
    rbx, rbp, r12, r14 and r15. tiles: (pixels, vectors) of the tiles that the blocks of a record
    may ask for. functions(t): further functions that tiles call.
    """
    t = Function(name, about, slots=_SLOTS, uses_avx=is_avx)
    v = Vectors(t, is_avx)
    t.mov("rbx", "rdi")
    _begin(t)
    t.label("row")
    if begin_row:
        begin_row(t)
    _find_row(t)
    _copy_rows(t, copy_row)
    _fill_runs(t)
    _blocks(t, tiles)
    t.load("rax", "start")
    t.add("rax", 1)
    t.store("start", "rax")
    t.cmp("rax", t.slot("stop"))
    t.jb("row")
    t.label("end")
    t.end()
    for pixels, vectors in tiles:
        t.label(f"tile_{pixels}_{vectors}")
        tile(t, v, pixels, vectors)
    if functions:
        functions(t)
    return t.text()


# The address of the input; no row of it is copied yet.
def _begin(t):
    t.cmp("rcx", "r8")
    t.jae("end")
    t.mov("rax", field("input"))
    t.mov("r9", "rax")
    t.shr("r9", 2)
    t.and_("rax", 1)
    t.cmovne("rsi", "rdx")
    t.add("rsi", "r9")
    t.store("source", "rsi")
    t.xor("eax", "eax")
    t.store("ready", "rax")


# The first row of the input that the row's windows reach, which may be padding, and the address of
# the first row of its image. A new image has no copied rows yet.
def _find_row(t):
    same = t.new_label("same_image")
    t.load("rax", "start")
    t.xor("edx", "edx")
    t.mov("rcx", field("output_height"))
    t.div("rcx")
    t.imul("rax", field("input_height"))
    t.imul("rax", field("input_row"))
    t.add("rax", t.slot("source"))
    t.store("batch_rows", "rax")
    t.test("rdx", "rdx")
    t.jne(same)
    t.store("ready", "rdx")
    t.label(same)
    t.imul("rdx", field("row_step"))
    t.sub("rdx", field("padding_height"))
    t.store("input_y", "rdx")


# Copy the rows of the windows that are not copied yet, each to its row of the buffer.
def _copy_rows(t, copy_row):
    done, following = t.new_label("copied"), t.new_label("copy")
    t.mov("rax", field("copies"))
    t.test("rax", "rax")
    t.je(done)
    t.load("r8", "input_y")
    t.mov("r9", field("filter_height"))
    t.sub("r9", 1)
    t.imul("r9", field("dilation_height"))
    t.add("r9", "r8")
    t.add("r9", 1)
    t.cmp("r9", field("input_height"))
    t.mov("rax", field("input_height"))
    t.cmovg("r9", "rax")
    t.cmp("r8", t.slot("ready"))
    t.load("rax", "ready")
    t.cmovl("r8", "rax")
    t.cmp("r8", "r9")
    t.jge(done)
    t.store("ready", "r9")
    t.label(following)
    t.mov("rsi", "r8")
    t.imul("rsi", field("input_row"))
    t.add("rsi", t.slot("batch_rows"))
    _place_of_copy(t, "r8", "rdi")
    t.add("rdi", field("copied_start"))
    copy_row(t)
    t.add("r8", 1)
    t.cmp("r8", "r9")
    t.jl(following)
    t.label(done)


# The address of the copy of row `row`. Uses rax, rcx, rdx.
def _place_of_copy(t, row, to):
    t.mov("rax", row)
    t.xor("edx", "edx")
    t.mov("rcx", field("copied_rows"))
    t.div("rcx")
    t.imul("rdx", field("copied_row"))
    t.add("rdx", field("copies_at"))
    t.mov(to, "rdx")


# The table of runs: for each row of the filter, the addresses of its cells for the first pixel.
def _fill_runs(t):
    row, cell, found, original, padding = (
        t.new_label(name) for name in ("filter_row", "cell", "row_found", "original", "padding")
    )
    t.mov("rdi", field("runs"))
    t.mov("r10", field("filter_height"))
    t.load("r8", "input_y")
    t.label(row)
    t.cmp("r8", field("input_height"))
    t.jae(padding)  # rows above the image have large unsigned numbers
    t.mov("rax", field("copies"))
    t.test("rax", "rax")
    t.je(original)
    _place_of_copy(t, "r8", "rsi")
    t.jmp(found)
    t.label(original)
    t.mov("rsi", "r8")
    t.imul("rsi", field("input_row"))
    t.add("rsi", t.slot("batch_rows"))
    t.jmp(found)
    t.label(padding)
    t.mov("rsi", field("padding_row"))
    t.label(found)
    t.mov("rcx", field("cells"))
    t.label(cell)
    t.mov(at("rdi"), "rsi")
    t.add("rdi", 8)
    t.add("rsi", field("cell_step"))
    t.dec("rcx")
    t.jne(cell)
    t.add("r8", field("dilation_height"))
    t.dec("r10")
    t.jne(row)


# All outputs of a row, block by block and tile by tile.
def _blocks(t, tiles):
    each, tile, done, fits, several = (
        t.new_label(name) for name in ("block", "tile", "tile_done", "tile_fits", "several")
    )
    t.load("rax", "start")
    t.imul("rax", field("output_row"))
    t.add("rax", field("output"))
    t.add("rax", t.slot("arena"))
    t.store("row_output", "rax")
    t.mov("rax", field("blocks"))
    t.store("blocks_left", "rax")
    t.mov("rbp", field("block_list"))
    t.label(each)
    t.mov("r14", block("weights"))
    t.mov("r15", block("constants"))
    t.load("r12", "row_output")
    t.add("r12", block("output_start"))
    t.xor("eax", "eax")
    t.label(tile)
    t.mov("rdx", field("pixels"))
    t.sub("rdx", PIXELS)
    t.jl(fits)
    t.cmp("rax", "rdx")
    t.cmovg("rax", "rdx")
    t.label(fits)
    t.store("pixel", "rax")
    t.mov("r13", "rax")
    t.imul("r13", field("pixel_step"))
    t.add("r13", block("input_start"))
    t.imul("rax", field("output_pixel"))
    t.lea("r8", at("r12", 0, "rax"))
    t.mov("rcx", block("vectors"))
    t.test("rdx", "rdx")
    t.jge(several)
    _choose(t, 1, [vectors for pixels, vectors in tiles if pixels == 1], done)
    t.label(several)
    _choose(t, PIXELS, [vectors for pixels, vectors in tiles if pixels > 1], done)
    t.label(done)
    t.load("rax", "pixel")
    t.add("rax", 1)
    t.mov("rdx", field("pixels"))
    t.cmp("rdx", PIXELS)
    t.lea("rcx", at("rax", PIXELS - 1))
    t.cmovge("rax", "rcx")
    t.cmp("rax", "rdx")
    t.jl(tile)
    t.add("rbp", 8 * len(BLOCK))
    t.count_down("blocks_left", each)


# Call the tile for as many vectors as rcx says.
def _choose(t, pixels, numbers, done):
    for vectors in numbers[:-1]:
        following = t.new_label("more_vectors")
        t.cmp("rcx", vectors)
        t.jne(following)
        t.call(f"tile_{pixels}_{vectors}")
        t.jmp(done)
        t.label(following)
    t.call(f"tile_{pixels}_{numbers[-1]}")
    t.jmp(done)


# Sums of products of a tile: register pixel * vectors + vector. `multiply(sum, product, x, w)`
# adds x * w to a sum. Uses rax, rcx, rdx, rsi, r9, r10, r11.
def sums(t, v, pixels, vectors, multiply):
    run, tap = t.new_label("run"), t.new_label("tap")
    count = pixels * vectors
    weights = [count + i for i in range(vectors)] if pixels > 1 else []
    x, product = 14, 15
    assert count + len(weights) <= x
    for i in range(count):
        v.zero(i)
    t.mov("rsi", "r14")
    t.mov("rdx", field("runs"))
    t.mov("rcx", field("filter_height"))
    t.imul("rcx", field("cells"))
    if pixels > 1:
        t.mov("r9", field("pixel_step"))
        t.lea("r10", at("r9", 0, "r9", 2))
    t.label(run)
    t.mov("rax", at("rdx"))
    t.add("rax", "r13")
    t.add("rdx", 8)
    t.mov("r11", field("length"))
    t.label(tap)
    for i, register in enumerate(weights):
        v.load(register, at("rsi", v.size * i))
    pixel_operands = [at("rax"), at("rax", 0, "r9"), at("rax", 0, "r9", 2), at("rax", 0, "r10")]
    for pixel in range(pixels):
        v.broadcast(x, pixel_operands[pixel])
        for i in range(vectors):
            w = weights[i] if weights else at("rsi", v.size * i)
            multiply(pixel * vectors + i, product, x, w)
    t.add("rsi", v.size * vectors)
    t.add("rax", 4)
    t.dec("r11")
    t.jne(tap)
    t.dec("rcx")
    t.jne(run)


def depthwise_sums(t, v, pixels, add, cells):
    """Sums of a tile of DEPTHWISE_CONV_2D: register 2 * pixel + vector. Weights: registers 8, 9.

    A run is a row of cells. add(pixel, one, other): adds the products of one cell or two cells;
    one(offset) is an operand in the first one. Uses rax, rcx, rdx, rsi, rdi, r9, r10, r11, r14.
    """
    run, tap = t.new_label("run"), t.new_label("tap")
    for i in range(DEPTHWISE_VECTORS * pixels):
        v.zero(i)
    t.mov("rsi", "r14")
    t.mov("rdx", field("runs"))
    t.mov("rcx", field("filter_height"))
    t.mov("r9", field("pixel_step"))
    t.lea("r10", at("r9", 0, "r9", 2))
    t.mov("rdi", field("cell_step"))
    t.label(run)
    t.mov("rax", at("rdx"))
    t.add("rax", "r13")
    t.add("rdx", 8)
    t.mov("r11", field("length"))
    t.label(tap)
    t.lea("r14", at("rax", 0, "rdi"))
    for i in range(DEPTHWISE_VECTORS):
        v.load(8 + i, at("rsi", v.size * i))
    for pixel in range(pixels):
        index = ((), ("r9",), ("r9", 2), ("r10",))[pixel]
        add(pixel, *(partial(_operand, base, index) for base in ("rax", "r14")))
    t.add("rsi", DEPTHWISE_VECTORS * v.size)
    t.lea("rax", at("rax", 0, "rdi", cells))
    t.dec("r11")
    t.jne(tap)
    t.dec("rcx")
    t.jne(run)


def _operand(base, index, offset=0):
    return at(base, offset, *index)
