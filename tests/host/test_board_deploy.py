# Tests of `tflm deploy` on the stand-in board: places, what is sent, and cables that are pulled
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import random
import shutil
from pathlib import Path

import pytest
from host.conftest import build_layers
from optimize.graphs import Network
from support.script import run_script
from support.standin import Board
from tflm_tools.board import romfs_image
from tflm_tools.board.board_device import BoardDevice
from tflm_tools.board.deploy import deploy
from tflm_tools.board.doctor import doctor
from tflm_tools.board.link import Link
from tflm_tools.board.streaming_estimate import faster_by_streaming
from tflm_tools.check.cases import make_cases
from tflm_tools.check.verify import verify
from tflm_tools.errors import DeviceError, ToolError
from tflm_tools.flat.flatten import flatten
from tflm_tools.model.model_file import open_model
from tflm_tools.packages import bundle

_ROM = 1 << 17


# Two models of the same name on the board, with other weights and other widths.
@pytest.fixture
def models(tmp_path):
    paths = []
    for i, widths in enumerate([(8, 40, 6, 5), (8, 90, 30, 3)]):
        folder = tmp_path / str(i)
        folder.mkdir()
        paths.append(folder / "net.tflite")
        paths[i].write_bytes(build_layers(*widths))
    return paths


# A board whose firmware has this tflm.
def frozen(tmp_path, repository, **options):
    return Board(tmp_path / "board", library=repository / "modules", **options)


# Which of the models the board loads by the lines that deploy gave; it must be a whole one.
def loaded(link, use):
    link.reset()
    link.exec("\n".join([*use, "interpreter.allocate_tensors()"]))
    return link.eval("interpreter.output(0).shape")[1]


@pytest.mark.parametrize("place", ["romfs", "files"])
def test_deploy_to_firmware_with_tflm(tmp_path, repository, models, place):
    done = []
    with frozen(tmp_path, repository, rom=_ROM) as board:
        first = deploy(models[0], board.port, to=place, progress=lambda *n: done.append(n))
        assert (first.place, first.name, first.unchanged) == (place, "net", False)
        assert first.sent == first.flat_bytes == done[-1][0] == done[-1][1]
        assert first.fits_ram == (place == "romfs")
        with Link(board.port) as link:
            assert loaded(link, first.use) == 5
            assert not link.eval("'tflm' in __import__('os').listdir('lib')")
        again = deploy(models[0], board.port, to=place)
        assert again.unchanged and again.sent == 0
        second = deploy(models[1], board.port, to=place, name="other")
        third = deploy(models[1], board.port, to=place)
        with Link(board.port) as link:
            assert loaded(link, second.use) == loaded(link, third.use) == 3


def test_the_best_place_is_picked(tmp_path, repository, models):
    with frozen(tmp_path, repository, rom=_ROM) as board:
        assert deploy(models[0], board.port).place == "romfs"
        with pytest.raises(DeviceError, match="cannot read its flash in place"):
            deploy(models[0], board.port, to="flash")
    with Board(tmp_path / "plain", library=repository / "modules") as board:
        assert deploy(models[0], board.port).place == "files"
        with pytest.raises(DeviceError, match="no ROMFS .* use: --to files"):
            deploy(models[0], board.port, to="romfs")


# Without tflm in the firmware, deploy brings what this model needs, and nothing else.
def test_runtime_comes_along(tmp_path, models):
    with Board(tmp_path / "board") as board:
        first = deploy(models[0], board.port)
        assert first.sent > 20000
        folder = tmp_path / "board" / "lib" / "tflm"
        names = {Path(name).name for name in held(folder)}
        assert "fully_connected.mpy" in names and "interpreter.mpy" in names
        assert not {"conv.mpy", "svdf.mpy", "reader.mpy", "planner.mpy"} & names
        assert len(list(folder.iterdir())) == 2  # an __init__ and a bundle
        assert list((tmp_path / "board").rglob("*.part")) == []
        second = deploy(models[1], board.port)
        assert second.sent == second.flat_bytes
        with Link(board.port) as link:
            assert loaded(link, second.use) == 3


# What a further model lacks is one more bundle; a damaged one, or one of another version, is sent
# anew, and nothing else lies there then.
def test_bundles_add_up(tmp_path, models, repository):
    folder = tmp_path / "board" / "lib" / "tflm"
    digits = repository / "models" / "digits" / "digits_int8.tflite"
    with Board(tmp_path / "board") as board:
        deploy(models[0], board.port)
        before = set(held(folder))
        done = deploy(digits, board.port)
        assert len(list(folder.glob("*.bundle"))) == 2
        assert before < set(held(folder))
        assert deploy(digits, board.port).sent == 0
        run = "x = interpreter.input(0)\ninterpreter.invoke()"
        with Link(board.port) as link:
            link.exec("\n".join([*done.use, run]))
        for damage in (b"", b"nothing", None):
            path = sorted(folder.glob("*.bundle"))[-1]
            data = path.read_bytes()
            path.write_bytes(data + b"!" if damage is None else damage)
            wanted = set(held(folder)) if damage is None else before
            assert deploy(digits, board.port).sent > 20000
            assert wanted <= set(held(folder))
            (only,) = folder.glob("*.bundle")
            with Link(board.port) as link:
                link.exec("\n".join([*done.use, run]))


# What a bundle holds is read without its data; lines of checks had paths and sizes once.
def test_contents_of_a_bundle():
    files = {"b.mpy": b"x" * 5, "a/c.mpy": b"y" * 70}
    packed = bundle.pack(files)
    head = packed[: bundle.data_start(packed[: bundle.HEAD_BYTES])]
    wanted = {name: (len(data), binascii.crc32(data)) for name, data in files.items()}
    assert bundle.contents(head) == wanted
    checks = b"".join(b"%08x\n" % wanted[name][1] for name in sorted(files))
    older = b"".join(b"/%s %d %08x\n" % (n.encode(), *wanted[n]) for n in sorted(files))
    assert head.endswith(checks)
    assert bundle.contents(head.removesuffix(checks) + older) == wanted
    for size in range(len(head)):
        assert set(bundle.contents(head[:size])) <= set(files)


# mip writes where a bundle will lie: the import says that a cable was pulled, and deploy mends it.
def test_a_bundle_that_is_cut_off(tmp_path, models):
    folder = tmp_path / "board" / "lib" / "tflm"
    with Board(tmp_path / "board") as board:
        done = deploy(models[0], board.port)
        (path,) = folder.glob("*.bundle")
        whole = path.read_bytes()
        path.unlink()
        for size in (
            bundle.data_start(whole[: bundle.HEAD_BYTES]),
            len(whole) - 1,
            len(whole) + 1,
        ):
            (folder / "core.bundle").write_bytes((whole + b"!")[:size])
            with Link(board.port) as link, pytest.raises(DeviceError, match="is cut off; install"):
                link.exec("import tflm")
        assert deploy(models[0], board.port).sent > 20000
        with Link(board.port) as link:
            link.exec("\n".join([*done.use, "interpreter.invoke()"]))


# MicroPython's loader takes a file of ROMFS from its beginning, wherever it was sought to.
def test_a_bundle_in_romfs(tmp_path, models):
    with Board(tmp_path / "board") as board:
        deploy(models[0], board.port)
    files = [path for path in (tmp_path / "board").rglob("*") if path.is_file()]
    contents = {str(path.relative_to(tmp_path / "board")): path.read_bytes() for path in files}
    image = tmp_path / "romfs.img"
    image.write_bytes(romfs_image.image(contents))
    said = run_script(
        "import sys, vfs\n"
        f"vfs.mount(vfs.VfsRom(open({str(image)!r}, 'rb').read()), '/rom')\n"
        "sys.path = ['/rom/lib']\n"
        "import tflm\n"
        "interpreter = tflm.Interpreter(tflm.load('/rom/net.tflm', trusted=True))\n"
        "interpreter.invoke()\n"
        "print(tflm.__path__, interpreter.output(0).shape[-1])\n"
    )
    assert said.split() == ["/.tflm", "5"]


# Paths of the files in a folder's bundles.
def held(folder):
    found = []
    for path in folder.glob("*.bundle"):
        data = path.read_bytes()
        found += bundle.contents(data[: bundle.data_start(data[: bundle.HEAD_BYTES])])
    return found


# Another version in lib/ is replaced as a whole; kernels of other models stay.
def test_other_version_in_lib(tmp_path, models):
    folder = tmp_path / "board" / "lib" / "tflm"
    (folder / "kernels").mkdir(parents=True)
    (folder / "__init__.py").write_text("__version__ = '0.0.1'\n")
    (folder / "format.py").write_text("VERSION = 0\n")
    (folder / "interpreter.py").write_text("raise ImportError('old')\n")
    (folder / "kernels" / "softmax.py").write_text("old = 1\n")
    with Board(tmp_path / "board") as board:
        done = deploy(models[0], board.port)
        with Link(board.port) as link:
            assert loaded(link, done.use) == 5
    assert list(folder.rglob("*.py")) == []
    assert "kernels/softmax.mpy" in held(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["tflm"]


# The cable is pulled at any byte: the old model loads, or the new one; then deploy finishes.
@pytest.mark.parametrize("place", ["romfs", "files"])
def test_cable_pulled(tmp_path, repository, models, place):
    with frozen(tmp_path, repository, rom=_ROM) as board:
        use = deploy(models[0], board.port, to=place).use
        begin = board.received
    with frozen(tmp_path, repository, rom=_ROM) as board:
        deploy(models[1], board.port, to=place, name="probe")
        whole = board.received
    assert begin > 5000 and whole > 5000
    chance = random.Random(4)
    new = 0
    for i in range(8):
        cut = chance.randrange(2000, whole)
        with frozen(tmp_path, repository, rom=_ROM, cut=cut) as board:
            try:
                deploy(models[(i + 1) % 2], board.port, to=place)
            except DeviceError as error:
                assert error.kind in ("lost", "silent"), error
        with frozen(tmp_path, repository, rom=_ROM) as board, Link(board.port) as link:
            assert loaded(link, use) in (3, 5)
    with frozen(tmp_path, repository, rom=_ROM) as board:
        new = deploy(models[1], board.port, to=place)
        with Link(board.port) as link:
            assert loaded(link, new.use) == 3


# The power goes with any erase or write of the flash: the model before loads, or the one after.
def test_power_cut_at_each_write(tmp_path, repository, models):
    with frozen(tmp_path, repository, rom=_ROM) as board:
        use = deploy(models[0], board.port).use
    before = (tmp_path / "board.rom").read_bytes()
    seen = []
    for cut in range(1, 50):
        (tmp_path / "board.rom").write_bytes(before)
        with frozen(tmp_path, repository, rom=_ROM, flash_cut=cut) as board:
            try:
                deploy(models[1], board.port)
                break
            except DeviceError as error:
                assert error.kind == "lost"
        with frozen(tmp_path, repository, rom=_ROM) as board:
            with Link(board.port) as link:
                seen.append(loaded(link, use))
            deploy(models[1], board.port)
            with Link(board.port) as link:
                assert loaded(link, use) == 3
    assert len(seen) > 3 and seen == sorted(seen, reverse=True)  # 5 up to the last bit, then 3


# What has arrived is not sent again.
def test_resume(tmp_path, repository):
    path = tmp_path / "large.tflite"
    path.write_bytes(build_layers(64, 300, 64))
    with (
        frozen(tmp_path, repository, cut=60000) as board,
        pytest.raises(DeviceError, match="broke off"),
    ):
        deploy(path, board.port)
    part = tmp_path / "board" / "large.tflm.part"
    assert part.stat().st_size > 10000
    part.write_bytes(part.read_bytes()[:-1])  # any prefix is fine
    with frozen(tmp_path, repository) as board:
        done = deploy(path, board.port)
        assert board.received < done.flat_bytes
    part.write_bytes(b"something else" * 1000)
    with frozen(tmp_path, repository) as board:
        assert deploy(path, board.port, name="large").unchanged
        assert not deploy(path, board.port, name="large2").unchanged


@pytest.mark.parametrize(
    "special, words",
    [
        ("version = (1, 19, 1, '')", "runs MicroPython 1.19.1, .* tflm flash"),
        ("_mpy = 5 | 2 << 10", "tflm needs 1.24.0 or newer"),
    ],
)
def test_firmware_too_old(tmp_path, models, special, words):
    code = (
        "import sys as _sys\n"
        "class Implementation:\n"
        "    version = _sys.implementation.version\n"
        "    _mpy = _sys.implementation._mpy\n"
        "    _machine = 'Old with OLD'\n"
        "class Sys:\n"
        "    implementation = Implementation\n"
        "    platform, path = _sys.platform, _sys.path\n"
        f"class Special(Implementation):\n    {special}\n"
        "Sys.implementation = Special\n"
        "_sys.modules['sys'] = Sys\n"
    )
    with (
        Board(tmp_path / "board", special=code) as board,
        pytest.raises(DeviceError, match=words),
    ):
        deploy(models[0], board.port)
    assert list((tmp_path / "board").rglob("*.*")) == []  # nothing was written


def test_wrong_board(tmp_path, repository, models):
    with frozen(tmp_path, repository) as board:
        with pytest.raises(DeviceError, match="not RP2040; name another port"):
            deploy(models[0], board.port, board="RP2040")
        assert deploy(models[0], board.port, board="linux").place == "files"


def test_heap_too_small(tmp_path, repository):
    path = tmp_path / "large.tflite"
    path.write_bytes(build_layers(64, 5000, 64))
    with frozen(tmp_path, repository, heap="600k") as board:
        with pytest.raises(DeviceError, match="bytes of heap .* use a smaller model") as caught:
            deploy(path, board.port)
        assert caught.value.kind == "heap"
    assert not list((tmp_path / "board").glob("*.tflm*"))


def test_flash_too_small(tmp_path, repository):
    path = tmp_path / "net.tflite"
    path.write_bytes(build_layers(64, 300, 64))  # 40 KB
    with frozen(tmp_path, repository, rom=1 << 16) as board:
        deploy(path, board.port, to="romfs")
        path.write_bytes(build_layers(64, 302, 64))
        with pytest.raises(DeviceError, match="do not fit the flash .* --replace"):
            deploy(path, board.port, to="romfs")
        assert deploy(path, board.port, to="romfs", replace=True).place == "romfs"


# What is missing is flash, though the file system has room: nobody is sent to look for heap, and
# nobody who has our firmware is told to install it.
def test_no_room_where_it_would_be_read_in_place(tmp_path, repository):
    path = tmp_path / "large.tflite"
    path.write_bytes(build_layers(64, 5000, 64))  # 640 KB
    with frozen(tmp_path, repository, rom=1 << 16, heap="600k") as board:
        with pytest.raises(
            DeviceError, match=r"where it would be read in place \(ROMFS"
        ) as caught:
            deploy(path, board.port)
        assert caught.value.kind == "flash" and "firmware" not in str(caught.value)
        found = doctor(board.port, [path]).models[0]
        assert not found.fits and "read in place (ROMFS" in found.how
        path.write_bytes(build_layers(64, 100, 64))
        assert doctor(board.port, [path]).models[0].fits


# Files that a ROMFS image had before stay, wherever in it they lie.
def test_other_files_in_romfs_stay(tmp_path, repository, models):
    from tflm_tools.board.romfs_image import image

    rom = tmp_path / "board.rom"
    files = {"a.txt": b"small", "lib/b.bin": bytes(range(256)) * 40, "net.tflm": b"old"}
    data = image(files)
    rom.write_bytes(data + b"\xff" * (_ROM - len(data)))
    with frozen(tmp_path, repository, rom=_ROM) as board:
        done = deploy(models[0], board.port)
        assert done.place == "romfs"
        with Link(board.port) as link:
            assert loaded(link, done.use) == 5
            assert link.eval("open('/rom/a.txt').read()") == "small"
            assert link.eval("open('/rom/lib/b.bin', 'rb').read()") == files["lib/b.bin"]
        deploy(models[1], board.port)
        with Link(board.port) as link:
            assert loaded(link, done.use) == 3
            assert link.eval("sorted(__import__('os').listdir('/rom'))") == [
                "a.txt", "lib", "net.tflm",
            ]  # fmt: skip


def test_firmware_lacks_kernels(tmp_path, repository, models):
    library = tmp_path / "firmware"
    library.mkdir()
    shutil.copytree(repository / "modules" / "tflm", library / "tflm")
    (library / "tflm" / "kernels" / "fully_connected.py").unlink()
    for path in (library / "tflm" / "kernels").glob("*/fully_connected*.py"):
        path.unlink()
    with Board(tmp_path / "board", library=library) as board:
        with pytest.raises(DeviceError, match="lacks the kernels fully_connected") as caught:
            deploy(models[0], board.port)
        assert "make firmware" in str(caught.value)
        (library / "tflm" / "run" / "rows.py").unlink()
        net = Network("rows", (8, 8, 4))
        rows = tmp_path / "rows.tflm"
        rows.write_bytes(flatten(net.build(net.conv(net.inputs[0], 4)), by_rows=True))
        with pytest.raises(
            DeviceError, match="takes no input by rows, .* without --input-by-rows"
        ):
            deploy(rows, board.port)
        format_file = library / "tflm" / "format.py"
        format_file.write_text(format_file.read_text() + "\nVERSION = 77\n")
        with pytest.raises(DeviceError, match="reads .tflm format 77, not .* tflm flash"):
            deploy(models[0], board.port)


@pytest.mark.parametrize("name", ["", "a/b", "..", "a b", "x" * 41, "é"])
def test_names(tmp_path, models, name):
    with pytest.raises(ToolError, match="cannot be a model's name"):
        deploy(models[0], "/dev/null", name=name)


# A board that has a model runs it from there; another one is sent to its RAM.
def test_device(tmp_path, repository, models):
    with frozen(tmp_path, repository) as board, Link(board.port) as link:
        device = BoardDevice(link)
        model = open_model(models[0])
        cases = [case.inputs for case in make_cases(model.inputs, 2, 0)]
        for _ in range(2):
            result = device.invoke(model, cases, repeat=2, locked=True)
            assert len(result.times) == 2 * len(cases)
            sizes = board.received
        link.close()
        deploy(models[0], board.port)
    with frozen(tmp_path, repository) as board, Link(board.port) as link:
        before = board.received
        again = BoardDevice(link).invoke(model, cases)
        assert board.received - before < sizes
        for one, other in zip(result.outputs, again.outputs, strict=True):
            assert (one[0] == other[0]).all()


def test_verify_on_a_board(tmp_path, repository, models):
    with frozen(tmp_path, repository) as board, Link(board.port) as link:
        result = verify(models[0], runs=2, device=BoardDevice(link))
        assert result.mismatch is None
        assert [path.path for path in result.paths] == ["flat"]
        result = verify(models[0], runs=1, form="tflite", device=BoardDevice(link))
        assert result.mismatch is None


# What streaming would bring is told where a model mostly waits for its weights, and there is room.
def test_streaming_is_told_of(tmp_path, repository):
    path = tmp_path / "dense.tflite"
    path.write_bytes(build_layers(128, 512, 128, 8))
    model = open_model(path)
    flat = flatten(model.data, target="armv6m")
    found = faster_by_streaming(model, flat, 100_000)
    assert 80_000 < found.kept < 92_000  # buffers of weights, and more arena
    assert found.cycles < 0.8 * found.cycles_before
    assert faster_by_streaming(model, flat, 40_000).cycles > found.cycles
    assert faster_by_streaming(model, flat, 8_000) is None
    digits = open_model(repository / "models" / "digits" / "digits_int8.tflite")
    assert faster_by_streaming(digits, flatten(digits.data, target="armv6m"), 100_000) is None
