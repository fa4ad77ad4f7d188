# tflm_tools: targets: the table of instruction sets for which tflm has kernels
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from .errors import ToolError


@dataclass(frozen=True)
class Arch:
    """An instruction set; the tools find all facts about it in its entry of ARCHS.

    name: mpy-cross's name.
    core, chip: names for users. Lists omit an entry without a chip.
    target: the value of `tflm flatten --target` for it, None if no weights are packed for it.
    packing: how Prepare packs weights for the target ("lanes", "dsp"); the names of the
    kernels' files end with it.
    overrides: folders of kernels/ with overrides that it can run; the first folder wins.
    assembler: stock firmware of its boards has the inline assembler.
    packaged: `make dist` makes packages for it.
    more: (target, core, chip) of each additional target that only some of its cores support; its
    packing has the same name as the target. A core that supports one supports those before it.
    """

    name: str
    core: str
    chip: str = ""
    target: str | None = None
    packing: str = ""
    overrides: tuple[str, ...] = ()
    assembler: bool = False
    packaged: bool = True
    more: tuple[tuple[str, str, str], ...] = ()


_THUMB = ("armv6m",)  # a Cortex-M3 and all larger cores run the code in this folder
_WITH_DSP = ("armv7em", *_THUMB)
_DSP = {"target": "armv7em", "packing": "dsp", "assembler": True}
_FPU_FOLDER = "armv7emsp"
_OPTIONAL = ("armv7em",)  # some cores cannot run this folder's code: its core.py tests the core
# Words in the names of overrides that need an FPU, for an arch that has cores without one.
_FPU_WORDS = {"xtensawin": {"float", "hybrid"}}

# MicroPython calls a Cortex-M3 armv7em, too; armv7emsp and armv7emdp are never a Cortex-M3.
ARCHS = {
    arch.name: arch
    for arch in (
        Arch("armv6m", "Cortex-M0+", "RP2040", "armv6m", "lanes", ("armv6m",), True),
        Arch("armv7m", "Cortex-M3", "", "armv6m", "lanes", _THUMB, True),
        Arch("armv7em", "Cortex-M4", overrides=_THUMB, packaged=False, **_DSP),
        Arch("armv7emsp", "Cortex-M4, M33", "RP2350", overrides=(_FPU_FOLDER, *_WITH_DSP), **_DSP),
        Arch("armv7emdp", "Cortex-M7", overrides=(_FPU_FOLDER, *_WITH_DSP), **_DSP),
        Arch("rv32imc", "RISC-V", "ESP32-C3", "rv32imc", "lanes", ("rv32imc",)),
        Arch(
            "xtensawin",
            "Xtensa",
            "ESP32-S2",
            "xtensawin",
            "lanes",
            ("xtensawin",),
            more=(
                ("mac16", "Xtensa with MAC16", "ESP32"),
                ("pie", "Xtensa with vectors", "ESP32-S3"),
            ),
        ),  # fmt: skip
        Arch("x64", "x86-64", overrides=("x64",)),
    )
}

PACKAGED = tuple(name for name, arch in ARCHS.items() if arch.packaged)
SHOWN = tuple(name for name, arch in ARCHS.items() if arch.chip)
_MORE = tuple(target for arch in ARCHS.values() for target, _, _ in arch.more)
_PACKING_OF = {arch.target: arch.packing for arch in ARCHS.values() if arch.target}
_PACKING_OF.update({target: target for target in _MORE})
TARGETS = tuple(_PACKING_OF)
# For tests: one target for each packing, and None.
_FIRST = {packing: target for target, packing in reversed(_PACKING_OF.items())}
PACKING_TARGETS = (None, *sorted(_FIRST.values(), key=TARGETS.index))


def override_folders(arch):
    """Return the folders of kernels/ with overrides for an arch, in the order of OpResolver."""
    if arch in ARCHS:
        return ARCHS[arch].overrides
    return (arch,) if arch else ()


def packing_of(target):
    """Return how Prepare packs weights for a target, None for None; raises ToolError."""
    if target not in (None, *TARGETS):
        raise ToolError(f"there is no target {target}; use one of {', '.join(TARGETS)}")
    return _PACKING_OF.get(target)


def target_of(arch, core=""):
    """Return the target of `tflm flatten` for an arch; None for portable kernels.

    core: the target of more_targets() that a board's core supports, "" if it supports none.
    """
    return core or (ARCHS[arch].target if arch in ARCHS else None)


def more_targets(arch):
    """Return the additional targets that only some cores of an arch support."""
    return tuple(target for target, _, _ in ARCHS[arch].more) if arch in ARCHS else ()


def foreign_packings(kernels, arch, core=""):
    """Return the packings of a model's kernels, sorted, if none is for the targets of a core.

    kernels: names of kernels, whose files end with their packing. core: as for target_of().
    """
    names = {kernel.partition(".")[0].rpartition("_")[2] for kernel in kernels}
    more = more_targets(arch)
    own = [target_of(arch), *(more[: more.index(core) + 1] if core in more else ())]
    if names & {packing_of(target) for target in own}:
        return []
    return sorted(names & set(_PACKING_OF.values()))


def optional_folders(arch):
    """Return the override folders of an arch that only some cores can run (core.py tests it)."""
    return [folder for folder in override_folders(arch) if folder in _OPTIONAL]


def is_optional(file, arch):
    """Return whether only some cores of an arch can run its override of a kernel file."""
    return file.rpartition("_")[2] in more_targets(arch) or needs_fpu(file, arch)


def needs_fpu(file, arch):
    """Return whether an override of an arch needs an FPU, which some of its cores lack."""
    name = file.rpartition("/")[2]
    words = _FPU_WORDS.get(arch, set())
    return bool(words) and (name == "float32" or not words.isdisjoint(name.split("_")))


def targets_help():
    """Return all targets as a list for a sentence: "armv6m (Cortex-M0+: RP2040), ..."."""
    boards = {}
    for arch in ARCHS.values():
        if arch.target and (arch.chip or arch.target not in boards):
            boards[arch.target] = ": ".join(filter(None, (arch.core, arch.chip)))
        for target, *names in arch.more:
            boards[target] = ": ".join(names)
    *first, last = (f"{target} ({names})" for target, names in boards.items())
    return ", ".join(first) + " or " + last
