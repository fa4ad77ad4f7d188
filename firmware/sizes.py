# firmware: measures flash and RAM of each component of an image; `make firmware` prints the table
# MIT license; Copyright (c) 2026 the tflm authors

import csv
import io
import json
import re
import subprocess
from dataclasses import asdict, dataclass

import toolchain
from tflm.model import FlatModel
from tflm_tools import files
from tflm_tools.targets import ARCHS

# Frozen modules are C data with the module's path in their names. The first matching pattern
# counts.
_COMPONENTS = (
    ("kernels of the instruction set", rf"tflm_kernels_(?:{'|'.join(ARCHS)})_"),
    ("kernels, float32", r"tflm_kernels_\w*float"),
    ("kernels, int16 and int32", r"tflm_kernels_\w*int(?:16|32)"),
    ("kernels, signal library", r"tflm_kernels_signal"),
    ("kernels, int8 and others", r"tflm_kernels_"),
    ("prepare (.tflite on the board)", r"tflm_prepare_"),
    ("runtime", r"tflm_"),
)  # fmt: skip


@dataclass
class Size:
    """Bytes of one component of an image. `part` is its name, also a column of sizes.csv."""

    part: str
    flash: int
    ram: int


# Yield the symbols of an ELF file: (name, bytes, kind).
def _symbols(elf, prefix):
    command = [toolchain.have(prefix + "nm"), "-S", str(elf)]
    said = subprocess.run(command, env=toolchain.environment(), capture_output=True, text=True)
    for line in said.stdout.splitlines():
        words = line.split()
        if len(words) == 4:
            yield words[3], int(words[1], 16), words[2]


# Return the bytes of (flash, RAM) that an ELF file occupies. Code in .data and .hot occupies both,
# but `size` without -A counts it as text.
def _totals(elf, prefix):
    command = [toolchain.have(prefix + "size"), str(elf)]
    said = subprocess.run(command, env=toolchain.environment(), capture_output=True, text=True)
    text, data, bss = [int(word) for word in said.stdout.splitlines()[1].split()[:3]]
    said = subprocess.run(
        [*command, "-A"], env=toolchain.environment(), capture_output=True, text=True
    )
    sections = dict(line.split()[:2] for line in said.stdout.splitlines() if line.startswith("."))
    copied = sum(int(sections.get(name, 0)) for name in (".data", ".hot"))
    return text + data, max(data, copied) + bss


def measure(built, prefix, heap):
    """Return a list of Size: MicroPython, components of tflm, model, total, heap.

    built: a Built. prefix: prefix of the compiler's commands. heap: free bytes after boot.
    """
    total, ram = _totals(built.elf, prefix)
    flash = dict.fromkeys((name for name, _ in _COMPONENTS), 0)
    for name, size, kind in _symbols(built.elf, prefix):
        if kind in "rRdDtT" and "tflm" in name:
            for component, pattern in _COMPONENTS:
                if re.search(pattern, name):
                    flash[component] += size
                    break
    sizes = [Size(name, size, 0) for name, size in flash.items() if size]
    rest = total - sum(flash.values())
    sizes.insert(0, Size("MicroPython", rest, ram))
    if built.romfs:
        sizes.append(Size("models (ROMFS)", built.romfs.stat().st_size, 0))
    if built.model:
        model = FlatModel(built.model)
        sizes.append(Size("arena of the model, of the heap", 0, model.arena_bytes))
    sizes.append(Size("total", sum(size.flash for size in sizes), ram))
    sizes.append(Size("heap free after boot", 0, heap))
    return sizes


def write(folder, sizes):
    """Write sizes.csv and sizes.json into a folder."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ("part", "flash", "ram"), lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(asdict, sizes))
    files.write(folder / "sizes.csv", text.getvalue().encode())
    data = json.dumps([asdict(size) for size in sizes], indent=2)
    files.write(folder / "sizes.json", data.encode() + b"\n")


def show(sizes, name):
    """Print sizes as a table."""
    from rich.table import Table
    from tflm_tools.render.common import console

    table = Table(title=name, title_justify="left")
    table.add_column("part")
    table.add_column("flash", justify="right")
    table.add_column("RAM", justify="right")
    for size in sizes:
        table.add_row(
            size.part, f"{size.flash:,}" if size.flash else "", f"{size.ram:,}" if size.ram else ""
        )
    console().print(table)
