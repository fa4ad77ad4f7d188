# tflm_tools: the instruction sets: what tflm has for each, which is what its kernels/ folder holds
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from .errors import ToolError


@dataclass(frozen=True)
class Arch:
    """An instruction set by mpy-cross' name; an entry in ARCHS is all that the tools need of one.

    core, chip: what runs it, for people; chip "": none that is shown unasked. target: what `tflm
    flatten --target` takes for it, None: nothing is packed. form: how Prepare packs weights then,
    which is the end of the names of the kernels' files: lanes, dsp. twins: folders of kernels/
    that may hold a twin, nearest first. assembler: stock firmware of its boards has the inline
    assembler. packaged: `make dist` makes packages of it. more: a target for those of its cores
    that can do more: (target, core, chip); its name is that of its form, too.
    """

    name: str
    core: str
    chip: str = ""
    target: str | None = None
    form: str = ""
    twins: tuple[str, ...] = ()
    assembler: bool = False
    packaged: bool = True
    more: tuple[str, ...] = ()


_THUMB = ("armv7m", "armv6m")  # every Cortex-M3 and above runs these
_WITH_DSP = ("armv7em", *_THUMB)
_DSP = {"target": "armv7em", "form": "dsp", "assembler": True}
_ASKED = ("armv7em",)  # not all cores with this twin can run it: core.py there asks

# MicroPython calls a Cortex-M3 armv7em, too: only with an FPU it is none.
ARCHS = {
    arch.name: arch
    for arch in (
        Arch("armv6m", "Cortex-M0+", "RP2040", "armv6m", "lanes", ("armv6m",), True),
        Arch("armv7m", "Cortex-M3", "", "armv6m", "lanes", _THUMB, True),
        Arch("armv7em", "Cortex-M4", twins=_THUMB, packaged=False, **_DSP),
        Arch("armv7emsp", "Cortex-M4, M33", "RP2350", twins=("armv7emsp", *_WITH_DSP), **_DSP),
        Arch("armv7emdp", "Cortex-M7", twins=("armv7emdp", *_WITH_DSP), **_DSP),
        Arch("rv32imc", "RISC-V", "ESP32-C3", "rv32imc", "lanes", ("rv32imc",)),
        Arch(
            "xtensawin",
            "Xtensa",
            "ESP32-S2",
            "xtensawin",
            "lanes",
            ("xtensawin",),
            more=("mac16", "Xtensa with MAC16", "ESP32, ESP32-S3"),
        ),  # fmt: skip
        Arch("x64", "x86-64", twins=("x64",)),
    )
}

PACKAGED = tuple(name for name, arch in ARCHS.items() if arch.packaged)
SHOWN = tuple(name for name, arch in ARCHS.items() if arch.chip)
_MORE = tuple(arch.more[0] for arch in ARCHS.values() if arch.more)
_FORM_OF = {arch.target: arch.form for arch in ARCHS.values() if arch.target}
_FORM_OF.update({target: target for target in _MORE})
TARGETS = tuple(_FORM_OF)
# For tests: a target for each way that Prepare packs weights, and None for not at all.
_FIRST = {form: target for target, form in reversed(_FORM_OF.items())}
FORMS = (None, *sorted(_FIRST.values(), key=TARGETS.index))


def twin_folders(arch):
    """Folders of kernels/ that may hold a twin for an arch, nearest first, as in OpResolver."""
    if arch in ARCHS:
        return ARCHS[arch].twins
    return (arch,) if arch else ()


def form_of(target):
    """How Prepare packs weights for a target (MicroContext.form); None for None."""
    if target not in (None, *TARGETS):
        raise ToolError(f"no target is called {target}; take one of {', '.join(TARGETS)}")
    return _FORM_OF.get(target)


def target_of(arch, core=""):
    """What `tflm flatten` takes as target for an arch; None for the portable form.

    core: that of more_targets() which a board's core is known to be for, "" otherwise.
    """
    return core or (ARCHS[arch].target if arch in ARCHS else None)


def more_targets(arch):
    """Targets of those of an arch's cores that can do more than others."""
    return ARCHS[arch].more[:1] if arch in ARCHS else ()


def asked_folders(arch):
    """Those of twin_folders() that not every core of the arch can run; core.py there asks it."""
    return [folder for folder in twin_folders(arch) if folder in _ASKED]


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
