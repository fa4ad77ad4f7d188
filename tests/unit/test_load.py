# Tests of tflm.load: paths, buffers, and invalid models
# MIT license; Copyright (c) 2026 the tflm authors

import pytest
from unit import sample_models
from unit.on_device import device, model_files


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "empty").write_bytes(b"")
    (folder / "text").write_text("TensorFlow Lite Micro\n" * 40)
    (folder / "tiny").write_bytes(b"TFLM")
    (folder / "folder").mkdir()
    names = {name.upper(): str(folder / name) for name in ("empty", "text", "tiny", "folder")}
    return model_files(folder, sample_models.classifier()) | names


def test_paths_and_buffers(paths):
    device(
        """
        from array import array

        def output(model):
            interp = tflm.Interpreter(model)
            interp.input(0).quantize([0.1 * i for i in range(12)])
            interp.invoke()
            return bytes(interp.output(0).raw)

        wanted = output(FLAT)
        for path in (FLAT, TFLITE):
            data = open(path, "rb").read()
            padded = bytearray(b"\\0" * 32 + data + b"\\0" * 7)
            for source in (path, data, bytearray(data), memoryview(data), array("B", data),
                           memoryview(padded)[32:], memoryview(padded)[32 : 32 + len(data)]):
                assert output(tflm.load(source)) == wanted
                assert output(source) == wanted
        """,
        **paths,
    )


def test_invalid_files(paths):
    device(
        """
        for path, start in ((EMPTY, "(0 bytes, first b'')"),
                            (TEXT, "(880 bytes, first b'TensorFl')")):
            text = raises(ModelError, tflm.load, path)
            assert text == "this is neither a .tflm nor a .tflite %s; check the file" % start, text
        text = raises(ModelError, tflm.load, TINY)
        assert "the .tflm is damaged: its 4 bytes are no header" in text
        for path in (FOLDER, FOLDER + "/missing", ""):
            assert path in raises(OSError, tflm.load, path)
        """,
        **paths,
    )


def test_invalid_buffers(paths):
    device(
        """
        from array import array
        for wrong in (b"", b"TFL", bytes(100), bytearray(b"\\xff" * 64)):
            assert "neither a .tflm nor a .tflite" in raises(ModelError, tflm.load, wrong)
        for wrong in (array("i", range(100)), array("f", [1.0]), None, 12, [1], ("a",)):
            text = raises(InputError, tflm.load, wrong)
            assert text == "a model is a path or a buffer of bytes; pass one"
        """,
        **paths,
    )


# A flat model must be at a multiple of 4: reading its words elsewhere would fault on small boards.
def test_flat_model_at_an_odd_address(paths):
    device(
        """
        data = open(FLAT, "rb").read()
        block = bytearray(len(data) + 16)
        for shift in range(9):
            block[shift : shift + len(data)] = data
            view = memoryview(block)[shift : shift + len(data)]
            if shift % 4 == 0:
                tflm.Interpreter(tflm.load(view)).invoke()
                continue
            text = raises(ModelError, tflm.load, view)
            assert text == (
                "the .tflm is not at a multiple of 4; align it to 16, or copy it to a "
                "bytearray"), text
        """,
        **paths,
    )


# A .tflite may be anywhere: constants with unaligned words are copied to the arena.
def test_tflite_at_an_odd_address(paths):
    device(
        """
        data = open(TFLITE, "rb").read()
        block = bytearray(len(data) + 16)
        outputs, sizes = set(), set()
        for shift in range(9):
            block[shift : shift + len(data)] = data
            interp = tflm.Interpreter(memoryview(block)[shift : shift + len(data)])
            interp.input(0).quantize([0.1 * i for i in range(12)])
            interp.invoke()
            outputs.add(bytes(interp.output(0).raw))
            sizes.add(interp.arena_used_bytes())
        assert len(outputs) == 1
        assert len(sizes) == 2, sizes
        """,
        **paths,
    )


# The version of the schema, and of the identifier.
def test_other_versions(paths):
    device(
        """
        data = bytearray(open(TFLITE, "rb").read())
        from tflm.tflite.flatbuffer import Table, scalar
        root = Table(data, scalar(data, 0, "I"))
        at = root.field_position(0)
        assert data[at] == 3
        data[at] = 4
        text = raises(UnsupportedError, tflm.load, data)
        assert text.startswith("the model has schema version 4, tflm reads version 3"), text
        data[7] = ord("2")
        assert "neither a .tflm nor a .tflite" in raises(ModelError, tflm.load, data)
        """,
        **paths,
    )


# Constants after the FlatBuffer, as in large models.
def test_buffers_outside_the_flatbuffer(tmp_path):
    from support.builder import ModelBuilder

    paths = {}
    for key, outside in (("INSIDE", False), ("OUTSIDE", True)):
        builder = ModelBuilder()
        x = builder.tensor((1, 4), "int8", scale=1.0, zero_point=0)
        weights = builder.tensor((2, 4), "int8", [[1, 2, 3, 4], [5, 6, 7, 8]], scale=1.0)
        y = builder.tensor((1, 2), "int8", scale=1.0, zero_point=0)
        builder.operator("FULLY_CONNECTED", [x, weights], [y])
        builder.io([x], [y])
        path = tmp_path / key
        path.write_bytes(builder.build(external_buffers=outside))
        paths[key] = str(path)
    device(
        """
        for path in (INSIDE, OUTSIDE):
            interp = tflm.Interpreter(path)
            interp.input(0).quantize([1, 1, 1, 2])
            interp.invoke()
            assert list(interp.output(0).data) == [14, 34]
        data = open(OUTSIDE, "rb").read()
        text = raises(ModelError, tflm.Interpreter(data[:-1]).invoke)
        assert "is outside the file; get an intact copy" in text, text
        """,
        **paths,
    )


# A file that does not fit the heap raises an error with a remedy, not a MemoryError.
def test_file_that_is_too_large(tmp_path):
    path = tmp_path / "large.tflite"
    path.write_bytes(bytes(4) + b"TFL3" + bytes(1 << 20))
    device(
        """
        text = raises(ModelError, tflm.load, PATH)
        assert text.startswith("not enough heap for the 1048584 bytes of "), text
        """,
        PATH=str(path),
        heap="500k",
    )


# mpremote's builder of ROMFS aligns nothing: models at unaligned addresses run from a copy, and
# are trusted as everything in ROMFS.
def test_romfs_without_alignment(tmp_path):
    from mpremote.romfs import VfsRomWriter
    from tflm_tools.flat.flatten import flatten

    image = VfsRomWriter()
    tflite = sample_models.classifier()
    for pad in range(4):
        image.mkfile(f"pad{pad}", bytes(8 + pad))
        for name, data in (("tflm", flatten(tflite)), ("tflite", tflite)):
            image.mkfile(f"{pad}.{name}", data)
    path = tmp_path / "romfs"
    path.write_bytes(image.finalise())
    device(
        """
        import uctypes, vfs
        with open(IMAGE, "rb") as file:
            image = file.read()
        vfs.mount(vfs.VfsRom(image), "/rom")
        shifts, found = set(), set()
        for name in ("0.tflm", "1.tflm", "2.tflm", "3.tflm", "0.tflite", "1.tflite", "2.tflite"):
            with open("/rom/" + name, "rb") as file:
                shifts.add(uctypes.addressof(memoryview(file)) & 3)
            interp = tflm.Interpreter(tflm.load("/rom/" + name))
            assert uctypes.addressof(interp.model.buffer) & 3 == 0
            interp.input(0).quantize([0.1 * i for i in range(12)])
            interp.invoke()
            found.add(bytes(interp.output(0).raw))
        assert len(found) == 1 and len(shifts) > 1, (found, shifts)
        """,
        IMAGE=str(path),
    )


# A model in ROMFS is used in place, or from a copy with copy=True: the same results, trusted.
def test_copy_of_a_model_in_romfs(tmp_path):
    from tflm_tools.board import romfs_image
    from tflm_tools.flat.flatten import flatten

    path = tmp_path / "romfs"
    path.write_bytes(romfs_image.image({"model.tflm": flatten(sample_models.classifier())}))
    device(
        """
        import uctypes, vfs
        with open(IMAGE, "rb") as file:
            image = file.read()
        vfs.mount(vfs.VfsRom(image), "/rom")
        begin = uctypes.addressof(image)

        def is_in_place(model):
            return begin <= uctypes.addressof(model.buffer) < begin + len(image)

        placed, copied = tflm.load("/rom/model.tflm"), tflm.load("/rom/model.tflm", copy=True)
        assert is_in_place(placed) and not is_in_place(copied)
        assert bytes(placed.buffer) == bytes(copied.buffer)
        assert placed.is_checked and copied.is_checked
        found = set()
        for model in (placed, copied):
            interp = tflm.Interpreter(model)
            interp.input(0).quantize([0.1 * i for i in range(12)])
            interp.invoke()
            found.add(bytes(interp.output(0).raw))
        assert len(found) == 1
        """,
        IMAGE=str(path),
    )


# In slow flash, a .tflm that is small beside the free heap is copied to RAM by default: from ROMFS
# and from a buffer.
def test_small_models_in_flash_are_copied(tmp_path):
    from tflm_tools.board import romfs_image
    from tflm_tools.flat.flatten import flatten

    path = tmp_path / "romfs"
    tflite = sample_models.classifier()
    path.write_bytes(romfs_image.image({"m.tflm": flatten(tflite), "m.tflite": tflite}))
    device(
        """
        import uctypes, vfs
        from tflm import loading
        with open(IMAGE, "rb") as file:
            image = file.read()
        vfs.mount(vfs.VfsRom(image), "/rom")
        begin = uctypes.addressof(image)

        def is_in_place(source, **options):
            address = uctypes.addressof(tflm.load(source, **options).buffer)
            return begin <= address < begin + len(image)

        assert is_in_place("/rom/m.tflm")
        loading._FLASH = begin, begin + len(image)
        with open("/rom/m.tflm", "rb") as file:
            buffer = memoryview(file)
        assert not is_in_place("/rom/m.tflm") and not is_in_place(buffer)
        assert is_in_place("/rom/m.tflm", copy=False) and is_in_place(buffer, copy=False)
        assert not is_in_place(buffer, copy=True)
        assert is_in_place("/rom/m.tflite")

        arena = tflm.load(buffer).arena_bytes
        for free, copies in ((3 * len(buffer) + arena, True), (3 * len(buffer), False)):
            loading.free_bytes = lambda: free
            assert is_in_place(buffer) != copies

        def without_heap(source):
            raise MemoryError

        loading.free_bytes = lambda: 1 << 20
        loading.bytearray = without_heap
        assert is_in_place(buffer)
        try:
            tflm.load(buffer, copy=True)
            assert False
        except tflm.ModelError as error:
            assert "not enough heap for the %d bytes of the model" % len(buffer) in str(error)
        """,
        IMAGE=str(path),
    )


# Prepare runs once if the Interpreter makes the arena, and again if an operator's Prepare has
# written to memory, or if the arena has another size.
def test_prepare_runs_once(paths):
    device(
        """
        from tflm.prepare import fully_connected

        class Counting:
            calls = 0

            def __init__(self, writes):
                self.writes = writes

            def prepare(self, context, node):
                Counting.calls += 1
                if self.writes:
                    context.get_persistent_buffer(context.allocate_persistent_buffer(4))[0] = 1
                fully_connected.prepare(context, node)

        def run(arena=None, writes=False, resolver=None):
            resolver = tflm.OpResolver()
            resolver.add_builtin(9, Counting(writes))
            Counting.calls = 0
            interp = tflm.Interpreter(TFLITE, arena, resolver=resolver)
            interp.input(0).quantize([0.1 * i for i in range(12)])
            interp.invoke()
            return Counting.calls, bytes(interp.output(0).raw)

        times, wanted = run(4096)
        assert times > 0
        assert run() == (times, wanted)
        assert run(tflm.Arena(4096)) == (times, wanted)
        assert run(writes=True) == (2 * times, wanted)
        """,
        **paths,
    )


# A board prints once what flattening brings.
def test_hint(paths):
    lines = device(
        """
        from tflm.tflite import reader

        class Board:
            platform = "rp2"
            modules = sys.modules

        tflm.load(TFLITE)  # the unix port prints nothing
        reader.sys = Board
        tflm.hints = False
        tflm.load(TFLITE)
        print("silent")
        del tflm.hints
        tflm.load(FLAT)
        tflm.load(TFLITE)
        tflm.load(TFLITE)
        """,
        **paths,
    )
    assert lines[0] == "silent" and len(lines) == 2
    assert lines[1].startswith("tflm: flatten or deploy the .tflite")


# tflm deploy sends no code for a .tflite.
def test_no_code_for_a_tflite(paths):
    device(
        """
        import builtins

        original = __import__

        def without_reader(name, *arguments):
            if "tflite" in name:
                raise ImportError(name)
            return original(name, *arguments)

        builtins.__import__ = without_reader
        text = raises(ModelError, tflm.load, TFLITE)
        assert text == "no code for a .tflite is here; use tflm deploy"
        """,
        **paths,
    )
