# Tests of tflm.fleet: polling, updates, refusals, faulty servers, rollback, cancellation
# MIT license; Copyright (c) 2026 the tflm authors

import textwrap

import pytest
from fleet import updates
from fleet.servers import Site, certificate
from fuzz.forgery import sealed
from tflm.model import FlatModel
from tflm_tools.fleet import depot
from unit.on_device import device

_PRELUDE = """
    import os
    from tflm.fleet import Fleet

    def board(controller="pico", url=URL, folder=None, **options):
        return Fleet(url, controller, KEY, "gestures", folder=folder or FOLDER + "/" + controller,
                     timeout=1, **options)

    def files(controller="pico"):
        names = os.listdir(FOLDER + "/" + controller)
        return sorted([name for name in names if ".state" not in name])

    # What the program of a board does.
    def use(fleet):
        interp = tflm.Interpreter(tflm.load(fleet.model(), trusted=True))
        interp.input(0).raw[:] = bytes(range(12))
        interp.invoke()
        fleet.confirm()
        return fleet.version

    # A board that already has version 1.
    def started(controller):
        fleet = board(controller)
        seed(fleet, controller)
        return board(controller)

    def seed(fleet, controller):
        assert fleet.poll() == "updated", fleet.said
        assert use(fleet) == 1
"""


@pytest.fixture
def site(tmp_path):
    with Site(tmp_path / "updates") as site:
        yield site


@pytest.fixture
def run(tmp_path, site):
    folder = tmp_path / "boards"
    folder.mkdir()

    def run(code, **names):
        names.update(URL=site.url, KEY=updates.PUBLIC, FOLDER=str(folder))
        return device(textwrap.dedent(_PRELUDE) + textwrap.dedent(code), **names)

    return run


def test_update(run, site):
    site.put(updates.pack(1))
    run(
        """
    fleet = board(first="first.tflm")
    assert fleet.model() == "first.tflm" and fleet.version == 0
    assert fleet.poll() == "updated" and "test vectors" in fleet.said and fleet.seconds == 60
    assert files() == ["gestures-1.tflm"]
    fleet.confirm()  # of the model that model() returned, not of the new one
    assert fleet.poll() == "nothing"
    assert use(fleet) == 1
    fleet.confirm()
    assert fleet.poll() == "nothing"
    fleet = board(first="first.tflm")
    assert fleet.model().endswith("gestures-1.tflm") and fleet.poll() == "nothing"
    """
    )
    assert site.said == [
        "pico  gestures-x.tflu: proceeding: gestures 1 answers its test vectors and is active",
        "pico  gestures-x.tflu: success: gestures 1 is in use",
    ]
    site.put(updates.pack(2))
    run(
        """
    fleet = board(first="first.tflm")
    fleet.model()
    assert fleet.poll() == "updated"
    assert files() == ["gestures-1.tflm", "gestures-2.tflm"]
    assert use(fleet) == 2
    assert files() == ["gestures-2.tflm"]
    assert fleet.poll() == "nothing"
    # A firmware with a newer model.
    fleet = board(first="first.tflm", version=3)
    assert fleet.model() == "first.tflm" and fleet.version == 3
    """
    )


# A server that lost the board's report offers the same update again.
def test_repeated_offer(run, site):
    site.put(updates.pack(1))
    run(
        """
    started("pico")
    os.rename(FOLDER + "/pico", FOLDER + "/again")
    fleet = board("again")
    assert fleet.poll() == "nothing" and files("again") == ["gestures-1.tflm"]
    """
    )
    assert site.said[-1] == "again  gestures-x.tflu: success: gestures 1 is in use"


# Each invalid update is refused with a sentence; version 1 remains; the server gets a report.
def test_invalid_updates(run, site, monkeypatch):
    flat = updates.model(2)
    good, tests = updates.pack(2), updates.vectors(flat)
    head = updates.manifest_bytes(good)
    damaged = flat[:-9] + bytes([flat[-9] ^ 4]) + flat[-8:]
    wrong = bytes([*tests[:-1], tests[-1] ^ 1])
    first = updates.pack(1)
    record = bytes(FlatModel(flat).op(0)[3])
    absurd = sealed(flat.replace(record, b"\xff\xff\xff\x3f" + record[4:]))
    cases = [
        ("another key", updates.pack(2, key=updates.OTHER_KEY), "not signed by this key"),
        ("a bit of the manifest", good[:30] + b"X" + good[31:], "not signed by this key"),
        ("a bit of the model", good[:-1] + bytes([good[-1] ^ 1]), "the model differs from what"),
        ("of the vectors", good[:head] + b"\1" + good[head + 1 :], "file of test vectors differs"),
        ("cut", good[:-1], "shorter than signed"),
        ("cut early", good[: head - 1], "cut off in its manifest"),
        ("longer", good + b"\0", "longer than signed"),
        ("empty", b"", "no update"),
        ("another name", updates.pack(2, flat, tests, "digits"), "for the model digits"),
        ("another model with the same version", updates.pack(1, flat, tests), "version 1"),
        (
            "other answers",
            updates.pack(2, flat, wrong),
            "output 0 of the model differs from the signed one for test vector 2",
        ),
        ("a damaged model", updates.pack(2, damaged, tests), "does not run here (ModelError)"),
        ("a forged record", updates.pack(2, absurd, tests), "does not run here (ModelError)"),
        ("no model", updates.pack(2, b"TFLM", tests), "does not run here (ModelError)"),
        ("too many vectors", updates.pack(2, flat, tests, count=4), "of another model"),
        ("too few vectors", updates.pack(2, flat, tests, count=2), "of another model"),
    ]
    site.put(first)
    run("started('pico')")
    # `tflm fleet serve` offers only updates; other servers may offer anything.
    anything = (updates.NAME, 9)
    monkeypatch.setattr(
        depot,
        "_offer",
        lambda path: depot.Offer(
            path, *anything, path.stat().st_size, str(hash(path.read_bytes()))
        ),
    )
    del site.said[:]
    site.queue = [data for _, data, _ in cases[1:]]
    site.put(cases[0][1])
    said = run(
        """
        for _ in range(COUNT):
            fleet = board()
            print(fleet.poll(), fleet.said)
            assert use(fleet) == 1 and files() == ["gestures-1.tflm"]
        assert fleet.poll() == "nothing"
        """,
        COUNT=len(cases),
    )
    for line, (what, _, words) in zip(said, cases, strict=True):
        assert line.startswith("refused ") and words in line, what
    reported = [line.partition(" failure: ")[2] for line in site.said if " success: " not in line]
    assert reported == [line.partition(" ")[2] for line in said]


# After any fault of a server there is a sentence, the active model remains, and polling goes on.
def test_faulty_servers(run, site):
    site.put(updates.pack(1))
    port = site.url.split(":")[2].split("/")[0]
    cases = [
        ("status_500", "answers 500; poll again later"),
        ("status_401", "answers 401; check token"),
        ("status_404", "answers 404; check controller, and the address"),
        ("status_302", "answers 302; use the address"),
        ("silent", "does not answer"),
        ("dripping", "is too slow"),
        ("chunks_slow", "is too slow"),
        ("chunks_long", "does not speak HTTP"),
        ("other", "does not speak HTTP"),
        ("endless", "too many headers"),
        ("page", "no JSON object"),
        ("list", "no JSON object"),
        ("deep", "no JSON object"),
        ("large", "no JSON object"),
        ("odd_links", "is no address"),
        ("cut_100", "stops early"),
    ]
    site.links_to("http://127.0.0.1:" + port + "/a b\r\nX: y")
    said = run(
        """
        for name in CASES:
            fleet = board(name)
            print(fleet.poll(), fleet.said)
            assert fleet.model() is None
            assert files(name) == []
        fleet = board("closed", url="http://127.0.0.1:1/DEFAULT")
        print(fleet.poll(), fleet.said)
        for url in ("", "host", "ftp://host/", "http://", "http://host:x/", "http://ho st/"):
            assert "address" in raises(InputError, board, url=url)
        fleet = board(url="https://127.0.0.1:%s/DEFAULT" % PORT)
        assert fleet.poll() == "failed" and "ssl.SSLContext" in fleet.said
        assert board("odd_list").poll() == "nothing"
        """,
        CASES=[name for name, _ in cases],
        PORT=port,
    )
    for line, (name, words) in zip(said, [*cases, ("closed", "does not answer")], strict=True):
        assert line.startswith("failed ") and words in line and "; " in line, name
    assert not site.said


# Ports that do not exist, and polls that are due in years.
def test_numbers_of_servers(run, site):
    ports = ("65536", "2147483648", "4294967376", "9223372036854775808", "9" * 4000, "8O")
    for port in ports:
        site.links_to(f"http://127.0.0.1:{port}/x")
        run("""
            fleet = board("odd_links")
            assert fleet.poll() == "failed" and "is no address; pass one" in fleet.said
            raises(InputError, board, url=LINK)
            """, LINK=f"http://127.0.0.1:{port}/x")  # fmt: skip
    run(
        """
        for name, seconds in (("00_05_07", 307), ("24_00_00", 86400), ("24_00_01", 86400),
                              ("999999999_99_99", 86400), ("999999999999_00_00", None),
                              ("9" * 900 + "_00_00", None), ("1_2", None), ("1_2_x", None)):
            fleet = board("sleep_" + name, folder=FOLDER + "/sleep")
            assert fleet.poll() == "nothing" and fleet.seconds == seconds, name
        """
    )


# Bodies in chunks and without length; interrupted files are continued, with and without ranges.
def test_ways_to_send_a_body(run, site):
    site.put(updates.pack(1))
    run(
        """
        for name in ("chunked", "ended", "once_1", "once_700", "whole_700"):
            fleet = board(name)
            assert fleet.poll() == "updated", (name, fleet.said)
            assert use(fleet) == 1
        """
    )


def test_token(run, tmp_path):
    with Site(tmp_path / "locked", token="secret") as site:
        site.put(updates.pack(1))
        run(
            """
            assert board("none", url=LOCKED).poll() == "failed"
            for token in ("secret", "GatewayToken secret"):
                assert board("some", url=LOCKED, token=token).poll() in ("updated", "nothing")
            """,
            LOCKED=site.url,
        )


# https: with the authority that signed the server's certificate, and with another one.
def test_tls(run, tmp_path):
    authority, other = certificate(tmp_path / "pem"), certificate(tmp_path / "other")
    with Site(tmp_path / "tls", pem=tmp_path / "pem") as site:
        site.put(updates.pack(1))
        run(
            """
            import ssl

            def context(data):
                found = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                found.verify_mode = ssl.CERT_REQUIRED
                found.load_verify_locations(cadata=data)
                return found

            fleet = board("wrong", url=HTTPS, tls=context(OTHER))
            assert fleet.poll() == "failed" and "trusted CA" in fleet.said, fleet.said
            fleet = board("right", url=HTTPS, tls=context(AUTHORITY))
            assert fleet.poll() == "updated", fleet.said
            """,
            HTTPS=site.url,
            AUTHORITY=authority,
            OTHER=other,
        )


# Answers with random values in random places never cause an exception, or an action that cannot be
# reported at the next poll.
def test_random_answers(run, site):
    site.put(updates.pack(1))
    run(
        """
        import json, random
        from tflm.fleet.http import Http

        random.seed(3)
        KEY = OTHER  # each update is refused, and so offered again
        odd = (None, 5, -1, 1e400, "", "x", "a b", "http://127.0.0.1:1/", [], {}, [[]], {"id": 1})
        ask = Http.json
        found = {}

        def places(data, at=()):
            keys = data.keys() if isinstance(data, dict) else range(len(data))
            for key in keys:
                yield at + (key,)
                if isinstance(data[key], (dict, list)):
                    yield from places(data[key], at + (key,))

        def changed(self, url, headers=()):
            data = found.get(url) or ask(self, url, headers)
            found[url] = data
            data = json.loads(json.dumps(data))
            if random.random() < 0.6:
                path = random.choice(list(places(data)))
                inner = data
                for key in path[:-1]:
                    inner = inner[key]
                inner[path[-1]] = random.choice(odd)
            if random.random() < 0.2:
                data["_links"] = {"cancelAction": {"href": url + "/7"}}
                found.setdefault(url + "/7", {"id": "7", "cancelAction": {"stopId": "1"}})
            return data

        said = {}
        Http.json = changed
        board("fuzz").poll()
        for _ in range(150):
            fleet = board("fuzz")
            result = fleet.poll()
            said[result] = said.get(result, 0) + 1
            assert not [each for each in fleet._store.state.reports if not each[0].isdigit()]
        Http.json = ask
        assert min(said[each] for each in ("failed", "refused", "nothing")) > 9, said
        """,
        OTHER=updates.OTHER_PUBLIC,
    )


# A model that is never confirmed, because its program crashes, is replaced by the previous one.
def test_roll_back(run, site):
    site.put(updates.pack(1))
    run("started('pico')")
    site.put(updates.pack(2))
    run(
        """
        fleet = board()
        assert fleet.model().endswith("1.tflm") and fleet.poll() == "updated"
        for _ in range(3):
            fleet = board()
            assert fleet.model().endswith("2.tflm")
            assert fleet.model().endswith("2.tflm")
            assert fleet.poll() == "nothing"
        fleet = board()
        assert fleet.model().endswith("1.tflm") and fleet.version == 1
        assert files() == ["gestures-1.tflm"]
        assert fleet.poll() == "nothing"
        assert use(fleet) == 1
        """
    )
    assert site.said[-1].endswith("failure: it was started 3 times and not confirmed")
    # After two updates in a row, the one that was confirmed last is kept.
    site.put(updates.pack(3))
    run("assert board().poll() == 'updated'")
    site.put(updates.pack(4))
    run(
        """
        fleet = board()
        assert fleet.model().endswith("3.tflm") and fleet.poll() == "updated"
        assert files() == ["gestures-1.tflm", "gestures-4.tflm"]
        for _ in range(3):
            assert board().model().endswith("4.tflm")
        assert board().model().endswith("1.tflm")
        """
    )
    assert site.said[-2].endswith("failure: it was replaced before it was confirmed")


# A trial that resets the board is made three times.
def test_crashes_in_the_trial(run, site):
    site.put(updates.pack(1))
    run("started('pico')")
    site.put(updates.pack(2))
    run(
        """
        from tflm.fleet import trial

        class Reset(BaseException):
            pass

        def crash(*_):
            raise Reset

        run_it, trial.run = trial.run, crash
        try:
            board().poll()
        except Reset:
            pass
        assert files() == ["gestures-1.tflm", "gestures-2.tflm", "gestures-2.vectors"]

        for _ in range(2):
            try:
                board().model()
                assert False
            except Reset:
                pass
        trial.run = run_it
        fleet = board()
        assert fleet.model().endswith("1.tflm") and fleet.poll() == "nothing"
        assert files() == ["gestures-1.tflm"]
        """
    )
    assert site.said[-1].endswith("failure: the board did not finish 3 trials of it")


# Without memory for two models the update waits for a reset, and the flash is not written.
def test_no_memory(run, site):
    site.put(updates.pack(1))
    run("started('pico')")
    site.put(updates.pack(2))
    run(
        """
        from tflm.fleet import trial

        def full(*_):
            raise MemoryError

        run_it, trial.run = trial.run, full
        fleet = board()
        assert fleet.model().endswith("1.tflm")
        assert fleet.poll() == "staged" and "reset the board" in fleet.said
        trial.run = None
        assert fleet.poll() == "staged" and "reset the board" in fleet.said
        assert fleet.model().endswith("1.tflm")
        trial.run = run_it
        fleet = board()
        assert use(fleet) == 2
        assert fleet.poll() == "nothing"
        """
    )
    assert [line.split(": ")[1] for line in site.said[-2:]] == ["proceeding", "success"]
    site.put(updates.pack(3))
    run(
        """
        from tflm.fleet import trial
        from tflm import ArenaError

        def full(*_):
            raise ArenaError("")

        trial.run = full
        fleet = board()
        assert fleet.poll() == "refused" and "heap is too small" in fleet.said
        assert use(fleet) == 2
        """
    )


# A file system with too little space, one that becomes full, one that cannot be written.
def test_full_file_system(run, site):
    site.put(updates.pack(1))
    run(
        """
        class Disk:
            def __init__(self, blocks):
                self.data = bytearray(512 * blocks)

            def readblocks(self, number, buffer, offset=0):
                at = 512 * number + offset
                buffer[:] = self.data[at : at + len(buffer)]

            def writeblocks(self, number, buffer, offset=0):
                at = 512 * number + offset
                self.data[at : at + len(buffer)] = buffer

            def ioctl(self, op, _):
                return {4: len(self.data) // 512, 5: 512}.get(op, 0)

        disk = Disk(20)
        os.VfsLfs2.mkfs(disk)
        os.mount(os.VfsLfs2(disk), "/flash")
        fleet = board("small", folder="/flash/models")
        assert fleet.poll() == "refused" and "the file system has" in fleet.said, fleet.said
        assert not [name for name in os.listdir("/flash/models") if "-" in name]
        from tflm.fleet import model_store

        model_store._SPARE = -99999
        with open("/flash/large", "wb") as file:
            about = os.statvfs("/flash")
            file.write(bytes(512 * about[3] - 600))
        fleet = board("full", folder="/flash/models")
        assert fleet.poll() == "failed" and "file system" in fleet.said, fleet.said
        assert not [name for name in os.listdir("/flash/models") if "-" in name]
        os.remove("/flash/large")
        assert board("full", folder="/flash/models").poll() == "updated"
        # From here on nothing can be written.
        from tflm.fleet.state import State

        def fail(self):
            raise OSError(28)

        save, State.save = State.save, fail
        for _ in range(4):
            assert use(board("full", folder="/flash/models")) == 1
        State.save = save
        assert use(board("full", folder="/flash/models")) == 1
        """
    )


# A cancellation removes an update before its trial; an active model remains.
def test_cancelled(run, site):
    site.put(updates.pack(1))
    run(
        """
        from tflm.fleet import trial
        from tflm.fleet.ddi import Ddi

        reported = []
        send, poll = Ddi.send_feedback, Ddi.poll
        Ddi.cancelled = lambda self, url: ("5", "1")

        def note(self, *what):
            if what[-1] == "cancelAction":
                reported.append(what[:3])
            else:
                send(self, *what)

        Ddi.send_feedback = note

        def full(*_):
            raise MemoryError

        run_it, trial.run = trial.run, full
        fleet = board()
        fleet.model()
        assert fleet.poll() == "staged"
        Ddi.poll = lambda self: ({"cancelAction": "http://x/"}, None)
        assert fleet.poll() == "nothing" and files() == []
        assert reported.pop() == ("5", "closed", "success")
        Ddi.poll, trial.run = poll, run_it
        fleet = board()
        assert fleet.poll() == "updated"
        Ddi.poll = lambda self: ({"cancelAction": "http://x/"}, None)
        assert fleet.poll() == "nothing" and fleet.version == 1
        assert reported.pop() == ("5", "rejected", "none")
        """
    )


def test_arguments(run):
    run(
        """
        def make(controller="pico", key=KEY, name="gestures", **options):
            return Fleet(URL, controller, key, name, folder=FOLDER + "/x", **options)

        for key in (b"", bytes(64), KEY[:-1], "xyz", "00" * 64, None, 5):
            assert "public key" in raises(InputError, make, key=key)
        make(key=KEY.hex() + "\\n")
        for controller in ("", "a/b", "a b", "a?b", None, 5):
            raises(InputError, make, controller)
        for name in ("", "../x", "a-b", None, "x" * 33):
            raises(InputError, make, name=name)
        for options in ({"starts": 0}, {"timeout": 0}, {"version": -1}, {"version": "1"}):
            raises(InputError, make, **options)
        """
    )
