# Tests of updates of a ROMFS partition's directory: MicroPython reads each intermediate state
# MIT license; Copyright (c) 2026 the tflm authors

import json
import random

import pytest
from support.script import run_script
from tflm_tools.board import rom_directory
from tflm_tools.board.flash_blocks import BLOCK
from tflm_tools.errors import ToolError

# Mounts each partition of a file and prints its files, {path: text}.
_READ = """
import json, os, vfs
with open(PATH, "rb") as file:
    states = file.read()
for at in range(0, len(states), SIZE):
    vfs.mount(vfs.VfsRom(memoryview(states)[at : at + SIZE]), "/rom")
    files = {}
    for folder in ("/rom/", "/rom/f/"):
        for entry in os.ilistdir(folder) if folder == "/rom/" or "f" in os.listdir("/rom") else ():
            if entry[1] == 0x8000:
                with open(folder + entry[0]) as file:
                    files[folder[5:] + entry[0]] = file.read()
    print(json.dumps(files))
    vfs.umount("/rom")
"""


# A partition: its directory, then text to which its files can point.
def _partition(block):
    return block + bytes(i % 26 + 97 for i in range(64))


def test_micropython_reads_every_state(tmp_path):
    chance = random.Random(3)
    names = ["a.tflm", "f/b.tflm", "f/c", "long-name-of-a-model-that-is-forty-letters.tflm"]
    block, states, expected, erased = None, [], [], 0
    for _ in range(120):
        files = {
            name: (size := chance.randrange(1, 20), BLOCK + chance.randrange(64 - size))
            for name in chance.sample(names, chance.randrange(len(names) + 1))
        }
        steps = rom_directory.update_steps(block, files) if block else None
        if steps is None:
            steps, block = [rom_directory.new_block(files)], b"\xff" * BLOCK
            erased += 1
        for step in steps:
            assert all(not new & ~old for new, old in zip(step, block, strict=True))
            block = step
        if len(steps) == 2:  # after the first step the old directory is still valid
            states.append(_partition(steps[0]))
            expected.append(expected[-1])
        states.append(_partition(block))
        texts = {k: states[-1][at : at + size].decode() for k, (size, at) in files.items()}
        expected.append(texts)
    assert 1 < erased < 8  # a block has space for tens of versions
    path = tmp_path / "states"
    path.write_bytes(b"".join(states))
    output = run_script(f"PATH = {str(path)!r}\nSIZE = {BLOCK + 64}\n{_READ}")
    assert [json.loads(line) for line in output.splitlines()] == expected


def test_update_steps_of_foreign_and_damaged_blocks():
    files = {"a.tflm": (5, BLOCK)}
    block = rom_directory.new_block(files)
    written, switched = rom_directory.update_steps(block, files)
    assert sum(old != new for old, new in zip(written, switched, strict=True)) == 1
    # An interrupted update can be repeated, but not replaced by another one.
    assert rom_directory.update_steps(written, files) == [written, switched]
    assert rom_directory.update_steps(written, {"b.tflm": (5, BLOCK)}) is None
    for foreign in (b"\xff" * BLOCK, bytes(BLOCK), block[:5] + b"\x01" + block[6:]):
        assert rom_directory.update_steps(foreign, files) is None
    for value in (0x01, 0x81, 0xFF):  # damaged: no endless loop, no IndexError
        assert rom_directory.update_steps(block[:5] + bytes([value]) * (BLOCK - 5), files) is None
    many = {f"model{number:034}": (1, BLOCK) for number in range(100)}
    assert rom_directory.new_block(many) is None
    with pytest.raises(ToolError, match="100 files are too many"):
        rom_directory.image(dict.fromkeys(many, b"x"))
