# firmware: collects the files of an image's /rom: a model, and the files of an app
# MIT license; Copyright (c) 2026 the tflm authors

from build_folders import APPS
from tflm.format import MAGIC
from tflm_tools.apps.rom_contents import flat, rom_files
from tflm_tools.board import rom_directory, romfs_image
from tflm_tools.errors import ToolError
from tflm_tools.speech.files import board_files
from tflm_tools.wake.word_files import word_files


# Return the function that reads the JSONs that MODEL= names, for apps with the package tflm.wake
# or tflm.speech; None for other apps.
def _reader(app):
    packages = APPS / app / "packages"
    names = packages.read_text().split() if packages.exists() else ()
    return word_files if "wake" in names else board_files if "speech" in names else None


# Return {name: bytes} of the model or manifests and of the app's files.
def _files(model, app, target):
    if not app:
        return {"model.tflm": flat(model, target)} if model else {}
    read = _reader(app)
    if read is None:
        return rom_files(APPS / app, model or None, target)
    files = rom_files(APPS / app, None, target)
    for path in str(model).split():
        files.update(read(path, target))
    return files


def contents(model, app, profile, stock):
    """Return {name: bytes} for /rom.

    model: a .tflite or .tflm, or the JSONs of models for an app with wake words or speech; "" for
    the app's own models. stock: the firmware is without tflm. Raises ToolError if a file cannot be
    read or does not fit the ROMFS of the board.
    """
    files = _files(model, app, profile.target)
    if files.get("model.tflm", MAGIC)[:4] != MAGIC:
        raise ToolError(f"{model} is neither a .tflite nor a .tflm; check MODEL=")
    if files and profile.port == "rp2":
        firmware = profile.stock if stock else profile.tflm
        free = firmware.romfs[1] if firmware.romfs else 0
        size = len(image(files, profile))
        if size > free:
            raise ToolError(
                f"the model needs {size} bytes of ROMFS, {profile.id} has {free}; flatten it "
                "with --flash-budget, and name the .tflm, or build for a board with more flash "
                "with FLASH_MB="
            )
    return files


def image(files, profile):
    """Return the image of /rom for a board; on RP2 boards with the directory of `tflm deploy`."""
    return (rom_directory if profile.port == "rp2" else romfs_image).image(files)
