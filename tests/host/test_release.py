# Tests of releases: reproducible archives
# MIT license; Copyright (c) 2026 the tflm authors

import importlib.util
import io
import tarfile

import pytest


@pytest.fixture
def host_packages(repository):
    path = repository / "release" / "host_packages.py"
    spec = importlib.util.spec_from_file_location("host_packages", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Return a .tar.gz of {name: bytes} with this time and owner.
def _archive(contents, moment, owner):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, content in contents.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(content), moment
            entry.uname, entry.uid = owner, int(moment)
            archive.addfile(entry, io.BytesIO(content))
    return data.getvalue()


def test_settled(host_packages):
    contents = {"b/two.py": b"2", "a.py": b"1"}
    first = _archive(contents, 1000.5, "ada")
    second = _archive(dict(reversed(contents.items())), 2000, "bob")
    settled = host_packages.settled(first, 3000)
    assert first != second and settled == host_packages.settled(second, 3000)
    with tarfile.open(fileobj=io.BytesIO(settled)) as archive:
        assert [entry.name for entry in archive] == ["a.py", "b/two.py"]
        assert archive.extractfile("b/two.py").read() == b"2"
        assert {(e.mtime, e.uname, e.uid) for e in archive.getmembers()} == {(3000, "", 0)}
