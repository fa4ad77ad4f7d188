# firmware: what an image has in /rom: a model, and what an app brings
# MIT license; Copyright (c) 2026 the tflm authors

from places import APPS
from tflm.format import MAGIC
from tflm_tools.apps.rom_contents import flat, rom_files
from tflm_tools.board import rom_directory, romfs_image
from tflm_tools.errors import ToolError
from tflm_tools.wake.word_files import word_files


# Whether MODEL= names manifests of wake words: the app has tflm.wake beside the runtime.
def _hears_words(app):
    rooms = APPS / app / "rooms"
    return rooms.exists() and "wake" in rooms.read_text().split()


# {name: bytes}, of what is named and what the app has.
def _files(model, app, target):
    if not app:
        return {"model.tflm": flat(model, target)} if model else {}
    if not _hears_words(app):
        return rom_files(APPS / app, model or None, target)
    found = rom_files(APPS / app, None, target)
    for path in str(model).split():
        found.update(word_files(path, target))
    return found


def contents(model, app, profile, stock):
    """{name: bytes} for /rom; read, flattened and measured before anything is built.

    model: a .tflite or .tflm, or manifests for an app of wake words; "" for the app's own.
    Raises ToolError.
    """
    found = _files(model, app, profile.target)
    if found.get("model.tflm", MAGIC)[:4] != MAGIC:
        raise ToolError(f"{model} is neither a .tflite nor a .tflm; check MODEL=")
    if found and profile.port == "rp2":
        part = profile.stock if stock else profile.tflm
        room = part.romfs[1] if part.romfs else 0
        size = len(image(found, profile))
        if size > room:
            raise ToolError(
                f"the model takes {size} bytes of ROMFS, {profile.id} has {room}; flatten it "
                "with --flash-budget, and name the .tflm"
            )
    return found


# What `tflm deploy` may write to later has the directory that it keeps.
def image(found, profile):
    """The image of /rom, for a board."""
    return (rom_directory if profile.port == "rp2" else romfs_image).image(found)
