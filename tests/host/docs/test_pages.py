# Tests that run all commands and code blocks of the documentation
# MIT license; Copyright (c) 2026 the tflm authors

import ast
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass

import pytest
from support.script import run_script
from tflm_tools.flat.flatten import flatten

# The language of a block selects how it runs. All `python` blocks of a page run as one program in
# MicroPython. `console` blocks run line by line. A `text` block after a `python` block is the
# program's output, and lines after a command are part of the command's output. `...` matches any
# text. Comments before a block change this:
#   <!-- no-run: why -->      do not run the block
#   <!-- needs: NAME -->      tensorflow: run (python: in CPython) only if it is installed. A file:
#                             make it before, except digits.tflm, which always exists
#   <!-- file: NAME -->       save the block as this file for the commands below it
#   <!-- output: TEXT -->     the outputs must contain this text instead of the shown output. "//"
#                             is between the texts of several commands. "numbers vary": they must
#                             contain the shown output with any numbers.
# Pages with separate tests, or whose code shows fragments of programs:
_OTHERS = {
    "how-to/custom-operator.md": "tests/host/docs/test_custom_ops_page.py",
    "how-to/delegates.md": "tests/unit/test_delegate.py",
    "reference/python-on-board.md": "parts of programs",
    "how-to/debug.md": "parts of programs",
    "reference/beyond-tflm.md": "parts of programs",
    "reference/python-on-host.md": "tests/host/test_python.py",
    "reference/cli.md": "parts of commands",
    "how-to/deploy.md": "tests/host/board/test_deploy.py",
    "products/web-page.md": "tests/page",
    "products/motion.md": "tests/boards/test_motion.py",
    "products/camera.md": "tests/boards/test_camera.py",
    "products/detect.md": "tests/detect/test_page.py",
    "products/wake-words.md": "tests/host/wake/test_wake.py, tests/wake",
    "README.md": "the first page has a test below",
}
_PAGES = [
    "explanation/arena.md", "develop/write-a-kernel.md", "explanation/exactness.md",
    "how-to/less-ram.md",
    "reference/flat-format.md",
    "tutorial/first-model.md", "tutorial/pico.md", "tutorial/esp32.md",
    "tutorial/your-own-model.md", "tutorial/wake-word.md", "tutorial/story.md",
    "how-to/coming-from.md", "products/features.md", "products/fleet.md", "how-to/hosts.md",
    "products/learn-on-board.md", "products/speech.md",
    "how-to/quantize.md", "how-to/ready-made-models.md",
    "products/search-models.md", "how-to/versions.md", "products/write-texts.md",
]  # fmt: skip


@dataclass
class Block:
    language: str
    text: str
    why_not: str = ""
    needs: str = ""
    file: str = ""
    output: str = ""

    def commands(self):
        """Return the commands of a console block: [command, text that its output contains]."""
        found = commands(self.text)
        if self.output and self.output != _NUMBERS:
            texts = self.output.split("//")
            assert len(texts) == len(found), f"{self.output}: name a text for each command"
            return [[command, text] for (command, _), text in zip(found, texts, strict=True)]
        return found


_NUMBERS = "numbers vary"
_MARKS = ("no-run", "needs", "file", "output")


# Return the blocks of a page in order.
def blocks(path):
    mark = rf"<!-- (?:{'|'.join(_MARKS)}): .+? -->\n"
    found = re.findall(rf"((?:^{mark})*)^```(\w*)\n(.*?)^```$", path.read_text(), re.M | re.S)
    result = []
    for comments, language, text in found:
        marks = dict(re.findall(r"<!-- ([\w-]+): (.+?) -->", comments))
        result.append(Block(language, text, *(marks.get(name, "") for name in _MARKS)))
    return result


# Return whether the output contains the shown text. White space is ignored, and ... matches any
# text. numbers_vary: any number matches a number.
def _holds(shown, said, numbers_vary=False):
    pieces, said = (
        [" ".join(piece.split()) for piece in shown.split("...")],
        " ".join(said.split()),
    )
    if numbers_vary:
        pieces, said = [_any_number(piece) for piece in pieces], _any_number(said)
    return re.search(".*?".join(map(re.escape, pieces)), said) is not None


# A text with # for each number: 1 984 and 98.61 are numbers.
def _any_number(text):
    return re.sub(r"\d+(?:[., \u00a0\u202f]\d+)*", "#", text)


# Return the commands of a console block: [command, text after it].
def commands(text):
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], ""])
        elif found:
            found[-1][1] += line + "\n"
    return found


@pytest.fixture
def folder(repository, tmp_path, monkeypatch):
    """A folder with the parts of the repository and the files that the pages use."""
    for name in ("models", "tests", "tools"):
        (tmp_path / name).symlink_to(repository / name)
    digits = (repository / "models" / "digits" / "digits_int8.tflite").read_bytes()
    (tmp_path / "digits.tflm").write_bytes(flatten(digits))
    (tmp_path / "rom").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Make a replacement for the reader's model, which TensorFlow would make.
def _make_stand_in(folder, repository):
    import numpy as np
    from support.builder import ModelBuilder

    random = np.random.default_rng(3)
    model = ModelBuilder("gestures")
    x = model.tensor((1, 32, 3), "int8", scale=0.0128, zero_point=1, name="input")
    flat = model.tensor((1, 96), "int8", scale=0.0128, zero_point=1)
    weights = model.tensor((3, 96), "int8", random.integers(-127, 128, (3, 96)), scale=0.01,
                           zero_point=0)  # fmt: skip
    bias = model.tensor((3,), "int32", random.integers(-99, 99, 3), scale=1.28e-4, zero_point=0)
    logits = model.tensor((1, 3), "int8", scale=0.1, zero_point=0)
    y = model.tensor((1, 3), "int8", scale=1 / 256, zero_point=-128, name="output")
    model.operator("RESHAPE", [x], [flat])
    model.operator("FULLY_CONNECTED", [flat, weights, bias], [logits])
    model.operator("SOFTMAX", [logits], [y], beta=1.0)
    model.io([x], [y])
    data = model.build()
    (folder / "gestures.tflite").write_bytes(data)
    (folder / "gestures.tflm").write_bytes(flatten(data))
    np.save(folder / "one.npy", np.zeros((1, 32, 3), np.float32))
    x = random.normal(0, 0.3, (60, 32, 3)).astype(np.float32)
    np.savez(folder / "gestures_test.npz", x=x, y=random.integers(0, 3, 60))


# Return the Python with TensorFlow: this one, or $TFLM_TENSORFLOW, or None.
def _tensorflow():
    if importlib.util.find_spec("tensorflow"):
        return sys.executable
    return os.environ.get("TFLM_TENSORFLOW")


@pytest.mark.parametrize("page", _PAGES)
def test_page(tflm, repository, folder, page):
    program, wanted, before = "", [], ""
    for block in blocks(repository / "docs" / page):
        if block.why_not:
            assert len(block.why_not) > 5, "give the reason why it does not run"
        elif block.needs == "tensorflow" and block.language == "console":
            for command, shown in block.commands() if _tensorflow() else ():
                _run(tflm, command, shown, block.output == _NUMBERS)
        elif block.needs == "tensorflow":
            if _tensorflow():
                subprocess.run([_tensorflow(), "-c", block.text], check=True, timeout=300)
            else:
                compile(block.text, page, "exec")
        elif block.file:
            (folder / block.file).write_text(block.text)
        elif block.language == "console":
            if block.needs and not (folder / block.needs).exists():
                _make_stand_in(folder, repository)
            for command, shown in block.commands():
                _run(tflm, command, shown, block.output == _NUMBERS)
        elif block.language == "python":
            if block.needs and not (folder / block.needs).exists():
                _make_stand_in(folder, repository)
            program += block.text
        elif block.language == "text" and before == "python":
            wanted.append(block.text)
        before = "" if block.why_not else block.language
    if program:
        said = _run_program(folder, program)
        for shown in wanted:
            assert _holds(shown, said), f"{page} shows {shown!r}, the output was {said!r}"


# Run a command `tflm` of a page. Other commands must have the mark no-run.
def _run(tflm, command, shown, numbers_vary=False):
    if command.startswith(".venv/bin/pip "):
        return  # the packages are installed already
    words = shlex.split(command)
    assert words[0] == "tflm", f"mark this block no-run, with the reason: {command}"
    found = tflm(*words[1:])
    assert found.code == 0, found.err
    holds = _holds(shown, found.out, numbers_vary)
    assert holds, f"{command} shows {shown!r}, the output was {found.out!r}"


# Run the blocks of a page as one program. Models under /rom are in the folder.
def _run_program(folder, program):
    for name in re.findall(r'"(?:/rom/)?([\w.]+\.tflm)"', program):
        if not (folder / name).exists():
            shutil.copyfile(folder / "digits.tflm", folder / name)
    return run_script(program.replace('"/rom/', '"'))


def test_every_page_is_known(repository):
    docs = repository / "docs"
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    assert {*_PAGES, *_OTHERS} <= pages
    for page in pages - set(_PAGES) - set(_OTHERS):
        found = [
            b for b in blocks(repository / "docs" / page) if b.language in ("python", "console")
        ]
        ran = [b for b in found if not b.why_not]
        assert not ran, f"docs/{page} has code that nothing runs; add the page to a list above"


def test_index_has_every_page(repository):
    index = (repository / "docs" / "README.md").read_text()
    for path in (repository / "docs").rglob("*.md"):
        name = path.relative_to(repository / "docs").as_posix()
        assert name == "README.md" or f"({name})" in index, f"docs/README.md lacks {name}"


# The README lists exactly the existing commands.
def test_readme_has_every_command(tflm, repository):
    from tflm_tools.cli.command import cli

    text = (repository / "README.md").read_text()
    named = set(re.findall(r"`(?:tflm )?([a-z]+)\b[^`|]*`", text)) | set(
        re.findall(r"tflm ([a-z]+)", text)
    )
    assert set(cli.commands) <= named, set(cli.commands) - named
    for command in re.findall(r"`tflm ([a-z]+)", text):
        assert command in cli.commands


# The count of operators in the table of runtimes.
def test_readme_counts_the_operators(repository):
    from tflm.prepare.table import CUSTOM, OPS

    text = (repository / "README.md").read_text()
    assert f"`.tflite` with {len(OPS) + len(CUSTOM)} operators" in text


# All options of commands exist, in blocks and in running text, also in pages whose code does not
# run.
def test_options_exist(repository):
    from tflm_tools.cli.command import cli

    pages = [*repository.glob("*.md"), *(repository / "docs").rglob("*.md")]
    for path in pages:
        if path.parts[-2:] == ("generated", "errors.md"):
            continue  # messages with … instead of names
        called = re.findall(r"`tflm ([a-z]+)([^`\n]*)`", path.read_text())
        for block in blocks(path):
            called += re.findall(r"^(?:\$ )?tflm ([a-z]+)([^\n#]*)", block.text, re.M)
        for name, rest in called:
            command = cli.commands.get(name)
            if hasattr(command, "commands"):  # a group: the next word is the command
                command = command.commands.get((rest.split() or [""])[0])
            assert command, f"{path.name}: tflm {name}{rest}"
            if command.context_settings.get("ignore_unknown_options"):
                continue  # options of another program
            known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
            for option in re.findall(r"(?<=\s)(--?[a-z][a-z0-9-]*)", rest):
                assert option in known | {"--help"}, f"{path.name}: tflm {name} {option}"


# All Python in pages compiles.
def test_python_compiles(repository):
    for path in [*repository.glob("*.md"), *(repository / "docs").rglob("*.md")]:
        for block in blocks(path):
            if block.language == "python":
                flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
                compile(block.text, str(path), "exec", flags=flags)


# The README shows the program examples/digit/main.py, and prints what the README shows. The unix
# port has no flash of an RP2 board: a stand-in for tflm_flash returns the name of a file.
def test_readme_program(repository, folder):
    (program,) = [b.text for b in blocks(repository / "README.md") if b.language == "python"]
    example = (repository / "examples" / "digit" / "main.py").read_text()
    assert example.endswith(program)
    stand_in = 'import sys\nclass tflm_flash:\n    model = lambda name: "digits.tflm"\n'
    stand_in += 'sys.modules["tflm_flash"] = tflm_flash\n'
    (shown,) = [b.text for b in blocks(repository / "README.md") if "mpremote run" in b.text]
    printed = commands(shown)[-1][1]
    assert run_script(stand_in + program) == printed == "a 2\n"


# The make targets in pages exist.
def test_make_targets(repository):
    targets = {
        folder: set(
            re.findall(r"^([a-z0-9-]+):", (repository / folder / "Makefile").read_text(), re.M)
        )
        for folder in (".", "bench", "page", "release", "tests")
    }
    pattern = r"(?:^\$ |`|^)make (?:-C ([a-z]+) ?)?([a-z][a-z0-9-]*)?"
    for path in [repository / "README.md", *(repository / "docs").rglob("*.md")]:
        for folder, target in re.findall(pattern, path.read_text(), re.M):
            if (target or folder) and (not folder or folder in targets):
                known = targets[folder or "."]
                assert (target or folder) in known, f"{path.name}: make -C {folder} {target}"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(repository, shell):
    path = os.pathsep.join(str(repository / folder) for folder in ("tools", "modules"))
    hosts = (repository / "docs" / "how-to" / "hosts.md").read_text()
    assert f"_TFLM_COMPLETE={shell}_source tflm" in hosts

    def ask(**variables):
        return subprocess.run(
            [sys.executable, "-m", "tflm_tools"],
            env={**os.environ, "PYTHONPATH": path, **variables},
            capture_output=True,
            text=True,
            timeout=30,
        ).stdout

    assert "_TFLM_COMPLETE" in ask(_TFLM_COMPLETE=f"{shell}_source")
    words = {"COMP_WORDS": "tflm ins", "COMP_CWORD": "1" if shell != "fish" else "ins"}
    assert "inspect" in ask(_TFLM_COMPLETE=f"{shell}_complete", **words)


# The sizes of header and entries in docs/reference/flat-format.md equal format.py.
def test_flat_format(repository):
    from tflm import format as layout

    text = (repository / "docs" / "reference" / "flat-format.md").read_text()
    assert f"## Header: {layout.HEADER_BYTES} bytes" in text
    assert f"Version: {layout.VERSION}." in text
    assert f"| {layout.CRC_OFFSET} | u32 | CRC32" in text
    assert f"| {layout.SECTIONS_OFFSET} | {layout.SECTIONS} x (u32, u32) |" in text
    assert f"| {layout.HASH_OFFSET} | {layout.HASH_BYTES} bytes |" in text
    for section, size in (
        ("kernels", layout.KERNEL_BYTES), ("sub-graphs", layout.SUBGRAPH_BYTES),
        ("op table", layout.OP_BYTES), ("tensors", layout.TENSOR_BYTES),
        ("metadata", layout.METADATA_BYTES),
    ):  # fmt: skip
        assert re.search(rf"^\| {section} \| .* \| {size} \|$", text, re.M), section
    for name in (layout.SIGNATURES, layout.SCRATCH):
        assert f"`{name}`" in text
