# tflm_tools: the instruction sets: what tflm has for each, which is what its kernels/ folder holds
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass


@dataclass(frozen=True)
class Arch:
    """An instruction set by mpy-cross' name; an entry in ARCHS is all that the tools need of one.

    core, chip: what runs it, for people; chip "": none that is shown unasked. target: what `tflm
    flatten --target` takes for it, None: the portable form. records: the target whose packed
    records these boards take ("" for no packed ones). twins: folders of kernels/ that may hold a
    twin, nearest first. assembler: stock firmware of its boards has the inline assembler.
    packaged: `make dist` makes packages of it. more: a target with records of its own for those of
    its cores that can do more: (target, core, chip).
    """

    name: str
    core: str
    chip: str = ""
    target: str | None = None
    records: str = ""
    twins: tuple[str, ...] = ()
    assembler: bool = False
    packaged: bool = True
    more: tuple[str, ...] = ()


_THUMB = ("armv7m", "armv6m")  # every Cortex-M3 and above runs these
_WITH_DSP = ("armv7em", *_THUMB)
_DSP = {"target": "armv7em", "records": "armv7em", "assembler": True}

# MicroPython calls a Cortex-M3 armv7em, too: only with an FPU it is none.
ARCHS = {
    arch.name: arch
    for arch in (
        Arch("armv6m", "Cortex-M0+", "RP2040", "armv6m", "armv6m", ("armv6m",), True),
        Arch("armv7m", "Cortex-M3", "", "armv6m", "armv6m", _THUMB, True),
        Arch("armv7em", "Cortex-M4", twins=_THUMB, packaged=False, **_DSP),
        Arch("armv7emsp", "Cortex-M4, M33", "RP2350", twins=("armv7emsp", *_WITH_DSP), **_DSP),
        Arch("armv7emdp", "Cortex-M7", twins=("armv7emdp", *_WITH_DSP), **_DSP),
        Arch("rv32imc", "RISC-V", "ESP32-C3", "rv32imc", "armv6m", ("rv32imc",)),
        Arch(
            "xtensawin",
            "Xtensa",
            "ESP32-S2",
            "xtensawin",
            "armv6m",
            ("xtensawin",),
            more=("mac16", "Xtensa with MAC16", "ESP32, ESP32-S3"),
        ),  # fmt: skip
        Arch("x64", "x86-64", twins=("x64",), assembler=True),
    )
}

PACKAGED = tuple(name for name, arch in ARCHS.items() if arch.packaged)
SHOWN = tuple(name for name, arch in ARCHS.items() if arch.chip)
_MORE = tuple(arch.more[0] for arch in ARCHS.values() if arch.more)
TARGETS = (*dict.fromkeys(arch.target for arch in ARCHS.values() if arch.target), *_MORE)
# For tests: a target for each way that Prepare packs weights, and None for not at all.
FORMS = (None, *dict.fromkeys(arch.records for arch in ARCHS.values() if arch.records), *_MORE)


def twin_folders(arch):
    """Folders of kernels/ that may hold a twin for an arch, nearest first, as in OpResolver."""
    if arch in ARCHS:
        return ARCHS[arch].twins
    return (arch,) if arch else ()


def target_of(arch, core=""):
    """What `tflm flatten` takes as target for an arch; None for the portable form.

    core: that of more_targets() which a board's core is known to be for, "" otherwise.
    """
    return core or (ARCHS[arch].target if arch in ARCHS else None)


def more_targets(arch):
    """Targets of those of an arch's cores that can do more than others."""
    return ARCHS[arch].more[:1] if arch in ARCHS else ()


def targets_help():
    """The targets as a sentence's list: "armv6m (Cortex-M0+: RP2040), ..."."""
    told = {}
    for arch in ARCHS.values():
        if arch.target and (arch.chip or arch.target not in told):
            told[arch.target] = ": ".join(filter(None, (arch.core, arch.chip)))
        if arch.more:
            target, *what = arch.more
            told[target] = ": ".join(what)
    *most, last = (f"{target} ({boards})" for target, boards in told.items())
    return ", ".join(most) + " or " + last
