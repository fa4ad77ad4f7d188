# Machine code that makes outputs of int8 or int16 from sums, for x86-64
# MIT license; Copyright (c) 2026 the tflm authors

from tflm_tools.packages.machine_code.x86 import at

# An output is
#   min(max((s * m + d >> shift) + o, lowest), highest)
# with a logical shift. If s * m + d is below h, 2**31 is subtracted before the shift: TFLM rounds
# twice, and rounds halves of negative numbers in the other direction. kernels/x64/outputs.py finds
# the constants of each channel, and proves that s * m + d is from 0 to 2**63 - 1.
#
# Constants of 8 channels are 256 bytes: m and o as 8 words of 32 bits each, then d, shift and h as
# words of 64 bits. The 64-bit words are in the order of channels 0, 2, 4, 6, 1, 3, 5, 7.
_M, _O, _D, _SHIFT, _H = 0, 32, 64, 128, 192
GROUP = 8  # channels
GROUP_BYTES = 256


def requantize(t, is_avx2, size):
    """Write the function "requantize": it makes outputs of `size` bytes from sums of some pixels.

    rsi: the sums, which it may overwrite; r11: bytes from the sums of one pixel to the sums of the
    next; r10: pixels; r8: their outputs; r9: bytes from one output pixel to the next; r13:
    channels; r15: their constants; rcx: the limits, vectors of lowest, highest, and 2**31 in 64
    bits. Uses rax, rcx, rdx, rsi, rdi, r8, r10 and vectors.
    """
    t.label("requantize")
    t.push("r14")
    if is_avx2:
        for i, register in enumerate(("ymm4", "ymm5", "ymm6")):
            t.vmovdqu(register, at("rcx", 32 * i))
    t.label("output_pixel")
    t.push("rsi")
    t.push("r8")
    t.push("r13")
    t.mov("rdi", "r15")
    t.label("output_group")
    if is_avx2:
        _group(t, size)
    else:
        _single(t, size)
    t.add("rdi", GROUP_BYTES)
    t.add("rsi", 4 * GROUP)
    t.add("r8", GROUP * size)
    t.sub("r13", GROUP)
    t.jg("output_group")
    t.pop("r13")
    t.pop("r8")
    t.pop("rsi")
    t.add("rsi", "r11")
    t.add("r8", "r9")
    t.dec("r10")
    t.jne("output_pixel")
    t.pop("r14")
    t.ret()


# Outputs of 8 channels with AVX2.
def _group(t, size):
    t.vmovdqu("ymm0", at("rsi"))
    t.vpsrlq("ymm1", "ymm0", 32)
    for i in range(2):
        x, mask = f"ymm{i}", "ymm2"
        t.vpmuldq(x, x, at("rdi", _M + 4 * i))
        t.vpaddq(x, x, at("rdi", _D + 32 * i))
        t.vmovdqu(mask, at("rdi", _H + 32 * i))
        t.vpcmpgtq(mask, mask, x)
        t.vpand(mask, mask, "ymm6")
        t.vpsubq(x, x, mask)
        t.vpsrlvq(x, x, at("rdi", _SHIFT + 32 * i))
    t.vpsllq("ymm1", "ymm1", 32)
    t.vpblendd("ymm0", "ymm0", "ymm1", 0xAA)
    t.vpaddd("ymm0", "ymm0", at("rdi", _O))
    t.vpmaxsd("ymm0", "ymm0", "ymm4")
    t.vpminsd("ymm0", "ymm0", "ymm5")
    t.vextracti128("xmm1", "ymm0", 1)
    t.vpackssdw("xmm0", "xmm0", "xmm1")
    partial, element, done = (t.new_label(name) for name in ("partial", "element", "stored"))
    t.cmp("r13", GROUP)
    t.jl(partial)
    if size == 1:
        t.vpacksswb("xmm0", "xmm0", "xmm0")
        t.vmovq(at("r8"), "xmm0")
    else:
        t.vmovdqu(at("r8"), "xmm0")
    t.jmp(done)
    t.label(partial)
    t.vmovdqu(at("rsi"), "xmm0")  # the sums are not needed any more
    t.xor("edx", "edx")
    t.label(element)
    t.movzx_word("eax", at("rsi", 0, "rdx", 2))
    t.mov(at("r8", 0, "rdx", size), "al" if size == 1 else "ax")
    t.add("rdx", 1)
    t.cmp("rdx", "r13")
    t.jl(element)
    t.label(done)


# Outputs of up to 8 channels, one after the other.
def _single(t, size):
    done = t.new_label("stored")
    t.mov("r14", "rcx")
    for i in range(GROUP):
        if i:
            t.cmp("r13", i)
            t.jle(done)
        offset = 32 * (i & 1) + 8 * (i >> 1)
        t.movsxd("rax", at("rsi", 4 * i))
        t.mov("edx", at("rdi", _M + 4 * i))
        t.imul("rax", "rdx")
        t.add("rax", at("rdi", _D + offset))
        t.mov("rdx", "rax")
        t.sub("rdx", at("rdi", _H + offset))
        t.sar("rdx", 63)
        t.shl("rdx", 31)
        t.add("rax", "rdx")
        t.mov("rcx", at("rdi", _SHIFT + offset))
        t.shr("rax", "cl")
        t.add("eax", at("rdi", _O + 4 * i))
        t.cmp("eax", at("r14"))
        t.cmovl("eax", at("r14"))
        t.cmp("eax", at("r14", 16))
        t.cmovg("eax", at("r14", 16))
        t.mov(at("r8", size * i), "al" if size == 1 else "ax")
    t.label(done)
    t.mov("rcx", "r14")
