"""The generated protobuf code matches what `proto/generate.py` makes of the `.proto` files today."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

PROTO = Path(__file__).resolve().parent.parent / "proto"
COMMITTED = PROTO / "roost" / "v1"


def _load_generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("roost_proto_generate", PROTO / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_committed_code_is_what_the_generator_makes_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed, so nothing can be generated here")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"])
    _load_generate().generate(tmp_path)

    made = tmp_path / "roost" / "v1"
    made_names = sorted(path.name for path in made.glob("*_pb2*.py*"))
    committed_names = sorted(path.name for path in COMMITTED.glob("*_pb2*.py*"))
    assert made_names == committed_names
    for name in made_names:
        assert (made / name).read_bytes() == (COMMITTED / name).read_bytes(), name
