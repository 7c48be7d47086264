"""Generates the Python code for the wire contract: `make proto`.

The code is committed, so that nobody needs a compiler to install Roost, and a test generates it again and compares.
"""

import sys
from pathlib import Path

import grpc_tools  # type: ignore[import-untyped]
from grpc_tools import protoc

HERE = Path(__file__).parent
WITH_SERVICES = {"arena_pb2_grpc", "admin_pb2_grpc"}


def generate(target: Path) -> None:
    """Write the generated modules and their type stubs below `target`, in folders that mirror the proto packages."""
    sources = sorted(str(path.relative_to(HERE)) for path in HERE.glob("roost/v1/*.proto"))
    arguments = [
        "protoc",
        f"--proto_path={HERE}",
        f"--proto_path={Path(grpc_tools.__file__).parent / '_proto'}",
        f"--python_out={target}",
        f"--grpc_python_out={target}",
        f"--mypy_out=quiet:{target}",
        f"--mypy_grpc_out=quiet,only_async:{target}",
        *sources,
    ]
    if protoc.main(arguments) != 0:
        raise SystemExit("protoc failed")
    for path in target.glob("roost/v1/*_pb2_grpc.py*"):
        if path.name.removesuffix(path.suffix) not in WITH_SERVICES:
            path.unlink()


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
