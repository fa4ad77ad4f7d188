# firmware: runs an emulated board in this terminal or as a serial port; `make emulate` runs this
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import fcntl
import os
import select
import sys
import termios
import tty
from contextlib import contextmanager
from pathlib import Path

import build
import emulators
from build_folders import FIRMWARE
from tflm.errors import TflmError
from tflm_tools import files
from tflm_tools.errors import ToolError
from tflm_tools.extras import installing

_LEAVE = b"\x1d"  # Ctrl-]
_CLOCK_AND_DATA = (2, 3)  # pins of the PDM microphone in the app `wake`
# Pins D0, PCLK, HSYNC and VSYNC of the camera in the apps `person` and `objects`.
_CAMERA = (6, 14, 15, 16)


# Send keys to the board and show its output, until Ctrl-] or until the board ends.
def _terminal(board):
    port = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
    keys = sys.stdin.fileno()
    before = termios.tcgetattr(keys) if os.isatty(keys) else None
    if before:
        tty.setraw(keys)
    watched = [port, keys]
    try:
        while board.running():
            for ready in select.select(watched, [], [], 0.2)[0]:
                data = os.read(ready, 4096)
                if ready == port:
                    os.write(sys.stdout.fileno(), data)
                elif not data:
                    watched.remove(keys)
                elif _LEAVE in data:
                    return
                else:
                    os.write(port, data)
    finally:
        if before:
            termios.tcsetattr(keys, termios.TCSADRAIN, before)
        os.close(port)


# Return `pdm` of emulators.PicoOptions for a microphone that hears a WAV file. The sound has an
# eighth of the largest amplitude, because pdm.Microphone amplifies it eight times.
def _microphone(path):
    import numpy as np
    from tflm_tools.wake import pdm, sound

    samples = np.frombuffer(b"".join(sound.blocks(path)), "<i2")
    bits = FIRMWARE / "microphone.bits"
    files.write(bits, pdm.pack(pdm.modulate(samples / 32768 / 8)))
    return (*_CLOCK_AND_DATA, bits)


# Return `motion` of emulators.PicoOptions for an MPU6050 (range 4 g) and a CSV with x, y, z in g.
def _accelerometer(path):
    import numpy as np

    try:
        accelerations = np.loadtxt(path, delimiter=",", ndmin=2)[:, :3]
    except (OSError, ValueError, IndexError) as error:
        raise ToolError(f"{path} is not a CSV of x, y, z in g ({error}); check MOTION=") from None
    samples = np.zeros((len(accelerations), 6), "<i2")
    samples[:, :3] = np.clip(np.round(accelerations * 8192), -32768, 32767)
    data = FIRMWARE / "motion.samples"
    files.write(data, samples.tobytes())
    return "mpu6050", 0, data


# Return `camera` of emulators.PicoOptions for an HM01B0 that sees the middle of an image.
def _camera(path):
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise ToolError(f"images need pillow; install it with: {installing('report')}") from None
    try:
        with Image.open(path) as image:
            grey = ImageOps.fit(ImageOps.exif_transpose(image).convert("L"), (192, 192))
    except OSError as error:
        raise ToolError(f"{path} is not an image ({error}); check CAMERA=") from None
    frame = Image.new("L", (324, 244), 128)
    frame.paste(grey, (66, 26))
    data = FIRMWARE / "camera.frames"
    files.write(data, frame.tobytes())
    return "hm01b0", 0, *_CAMERA, data


# Print the port and wait until the board ends.
def _serve(board):
    print(board.port, flush=True)
    print("try: mpremote connect", board.port, "(Ctrl-C turns the board off)", file=sys.stderr)
    while board.running():
        board.wait(1)


def _arguments():
    parser = argparse.ArgumentParser(prog="emulate", description="Run a board's firmware here.")
    parser.add_argument("board", help="a folder of boards/")
    parser.add_argument("--app", default="")
    parser.add_argument("--model", default="")
    parser.add_argument("--kernels", default="")
    parser.add_argument("--micropython", default="")
    parser.add_argument("--flash-mb", type=int, default=0, help="of an RP2 board with more flash")
    parser.add_argument("--stock", action="store_true", help="without tflm")
    parser.add_argument("--image", default="", help="run this firmware instead of building one")
    parser.add_argument("--flash", default="", help="a file that keeps a Pico's flash")
    parser.add_argument("--pty", action="store_true", help="a port for mpremote and tflm")
    parser.add_argument("--uart", action="store_true", help="a Pico's UART 0 instead of USB")
    parser.add_argument("--wav", default="", help="a PDM microphone at a Pico hears this file")
    parser.add_argument(
        "--xip", type=int, default=0, metavar="CYCLES",
        help="cycles that a Pico waits for each miss of its flash cache (a real Pico: 48)",
    )  # fmt: skip
    parser.add_argument(
        "--clock", type=float, default=0, metavar="FACTOR",
        help="a Pico's core runs this many times as fast as its firmware believes",
    )  # fmt: skip
    parser.add_argument("--motion", default="", help="move an MPU6050 by a CSV: x, y, z in g")
    parser.add_argument("--camera", default="", help="an HM01B0 at a Pico sees this image")
    return parser.parse_args()


# Hold the file with a Pico's flash for this process: two emulators would overwrite each other's
# changes.
@contextmanager
def flash_lock(flash):
    if flash is None:
        yield
        return
    with open(f"{flash}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ToolError(
                f"another emulator uses the flash in {flash}; stop it, or give another file with "
                "FLASH=FILE"
            ) from None
        yield


def main():
    options = _arguments()
    emulators.check(options.board)
    flash = options.flash or FIRMWARE / f"{options.board}.flash"
    flash = Path(flash).absolute() if not options.board.startswith("QEMU") else None
    files.make_folder(FIRMWARE)
    with flash_lock(flash):
        _run(options, flash)


# Build the firmware and run it until it ends.
def _run(options, flash):
    romfs = None
    if options.image:
        image = options.image
    else:
        built = build.build(
            options.board, options.app, model=options.model, stock=options.stock,
            kernels=options.kernels, micropython=options.micropython or None,
            flash_mb=options.flash_mb,
        )  # fmt: skip
        image, romfs = built.image, built.romfs
    board = emulators.start(
        options.board, image, flash=flash, romfs=romfs, uart=options.uart,
        xip=options.xip, clock=options.clock,
        pdm=_microphone(options.wav) if options.wav else None,
        motion=_accelerometer(options.motion) if options.motion else None,
        camera=_camera(options.camera) if options.camera else None,
    )  # fmt: skip
    try:
        if options.pty:
            _serve(board)
        else:
            print("Ctrl-] leaves; Ctrl-C goes to the board", file=sys.stderr)
            _terminal(board)
    except KeyboardInterrupt:
        pass
    finally:
        code = board.stop()
    if code not in (0, -15):  # -15: ended by stop()
        print(board.log, end="", file=sys.stderr)
        sys.exit(f"emulate: the board stopped with exit code {code}")


if __name__ == "__main__":
    try:
        main()
    except TflmError as error:
        sys.exit(f"emulate: {error}")
