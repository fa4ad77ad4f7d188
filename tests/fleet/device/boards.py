# Boards of a fleet, one after the other: each has a littlefs in RAM and may lose power
# MIT license; Copyright (c) 2026 the tflm authors

# Arguments: a JSON file with the job, and the name of the function here that runs it.

import json
import os
import sys

import tflm
from tflm.fleet import Fleet
from tflm.fleet.model_store import ModelStore
from tflm.fleet.update import read_manifest

_BLOCK = 512
_BLOCKS = 64
_INPUT = bytes(range(12))


# Print a line of the report. Finalizers of files that were open at a power cut print other lines.
def say(*words):
    print("=", *words)


# A power cut; nothing on the board may catch it.
class Cut(BaseException):
    pass


# Flash that loses power after `left` more written bytes; `log` gets the size of each write.
class Disk:
    def __init__(self, data):
        self.data = bytearray(data)
        self.left = None
        self.log = []

    def readblocks(self, number, buffer, offset=0):
        at = _BLOCK * number + offset
        buffer[:] = memoryview(self.data)[at : at + len(buffer)]

    def writeblocks(self, number, buffer, offset=0):
        size = len(buffer)
        self.log.append(size)
        if self.left is not None:
            size = min(size, self.left)
            self.left -= size
        at = _BLOCK * number + offset
        self.data[at : at + size] = buffer[:size]
        if size < len(buffer):
            raise Cut

    def ioctl(self, op, _):
        return {4: _BLOCKS, 5: _BLOCK}.get(op, 0)


# Start a board with the contents of its flash.
def boot(data, kind=os.VfsLfs2):
    try:  # noqa: SIM105 (boards have no contextlib)
        os.umount("/flash")
    except OSError:
        pass
    disk = Disk(data)
    os.mount(kind(disk), "/flash")
    return disk


def empty(kind=os.VfsLfs2):
    disk = Disk(bytes(_BLOCK * _BLOCKS))
    kind.mkfs(disk)
    return disk.data


# Return the outputs of a model as hex digits.
def answer(path):
    interp = tflm.Interpreter(tflm.load(path, trusted=True))
    interp.input(0).raw[:] = _INPUT
    interp.invoke()
    return bytes(interp.output(0).raw).hex()


def fleet(url, job, controller):
    return Fleet(url, controller, bytes.fromhex(job["key"]), job["name"], folder="/flash/models",
                 timeout=20)  # fmt: skip


# Return the version of the model that a board runs, after checking its outputs.
def version_in_use(board, job):
    said = answer(board.model())
    version = board.version
    assert said == job["answers"][str(version)], "version %d answers otherwise" % version
    return version


# Offer bad updates, then the new one, to a board with version 1 whose power may be cut after a
# number of written bytes. Print its version after each step; return the number of written bytes.
def update_board(job, image, controller, bad=(), left=None):
    disk = boot(image)
    steps = []
    for url in bad:
        board = fleet(url, job, controller)
        steps.append("%s %d" % (board.poll(), version_in_use(board, job)))
    board = fleet(job["url"], job, controller)
    version_in_use(board, job)
    disk.left = left
    try:
        said = board.poll()
        version_in_use(board, job)
        board.confirm()
        board.poll()
    except Cut:
        said = "cut"
    written = sum(disk.log)
    for _ in range(3 if said != "updated" else 1):
        disk = boot(disk.data)
        board = fleet(job["url"], job, controller)
        steps.append("%s %d" % (said, version_in_use(board, job)))
        board.confirm()
        said = board.poll()
    say(controller, "; ".join(steps))
    return written


def update_boards(job):
    """Run the boards of a job: [controller, whether it gets bad updates, bytes until a power cut].

    That is a share of the bytes that are written from the poll to the confirmation, or None.
    """
    disk = boot(empty())
    board = fleet(job["first"], job, "first_" + job["boards"][0][0])
    assert board.poll() == "updated", board.said
    assert version_in_use(board, job) == 1
    board.confirm()
    board.poll()
    image = bytes(disk.data)
    written = update_board(job, image, "dry_" + job["boards"][0][0])
    for controller, bad, share in job["boards"]:
        left = None if share is None else int(share * written)
        update_board(job, image, controller, job["bad"] if bad else (), left)


# Install an update without a server, up to the confirmation.
def install(store, job, version):
    with open(job["files"][str(version)], "rb") as file:
        manifest = read_manifest(file.read, bytes.fromhex(job["key"]))
        store.store(manifest, "7", file.read)
    assert store.try_candidate()
    confirm(store, job)


def confirm(store, job):
    path = store.path()
    assert answer(path) == job["answers"][str(store.version)]
    store.confirm()


def new_store():
    return ModelStore("/flash/models", "gestures", None, 0, 3, None, None)


def sweep(job):
    """Install version 2 over 1 repeatedly, with a power cut at each `step`th write.

    On littlefs half of a write is there then; FAT, which is not made for that, has none of it.
    Prints how many ended with each version, and how many writes there were to go in.
    """
    kind = os.VfsFat if job["fat"] else os.VfsLfs2
    disk = boot(empty(kind), kind)
    install(new_store(), job, 1)
    image = bytes(disk.data)
    disk = boot(image, kind)
    install(new_store(), job, 2)
    log, found, at = disk.log, [0, 0], 0
    for i, size in enumerate(log):
        at += size
        if i % job["step"]:
            continue
        disk = boot(image, kind)
        disk.left = at - (size if job["fat"] else size - size // 2)
        try:
            install(new_store(), job, 2)
            raise AssertionError("the power was to go")
        except Cut:
            pass
        boot(disk.data, kind)
        there = new_store()
        confirm(there, job)
        found[there.version - 1] += 1
        if there.version == 1:
            install(there, job, 2)
    say(*found, (len(log) - 1) // job["step"] + 1)


def use(job):
    """Update a board on files of this computer, then start it once; the process may be killed."""
    board = Fleet(job["url"], job["controller"], bytes.fromhex(job["key"]), job["name"],
                  folder=job["folder"], timeout=20)  # fmt: skip
    if board.model():
        version_in_use(board, job)
        board.confirm()
    say(board.poll(), version_in_use(board, job))
    board.confirm()
    board.poll()


with open(sys.argv[1]) as file:
    globals()[sys.argv[2]](json.load(file))
