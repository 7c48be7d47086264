"""Files that may come from anybody, read within limits: no pipe and no device, no line longer than a record can be.

Errors are `OSError`, whose `strerror` says what is wrong in words that fit into a message.
"""

import errno
import lzma
import os
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from stat import S_ISREG

MOST_LINE = 4 << 20
"""The most bytes of a line. No record of a match is longer."""
MOST_UNPACKED = 200
"""A compressed file unpacks to at most this many times its size; records compress to a twentieth."""
SMALL = 16 << 20
"""What may be unpacked from any file."""
MOST_MEMORY = 256 << 20
"""What unpacking may take."""
AT_ONCE = 1 << 20


def open_regular(file: Path, *, follow: bool = True) -> BufferedReader:
    """Open a regular file to read. Raises `OSError` for anything else, and for a link unless links are to `follow`."""
    if not follow and file.is_symlink():
        raise OSError(errno.EINVAL, "it is a link", str(file))
    # A pipe without a writer would hold up a plain open.
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))
    if not S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file", str(file))
    return os.fdopen(descriptor, "rb")


def read_regular(file: Path, most: int, *, follow: bool = True) -> bytes:
    """All bytes of a regular file. Raises `OSError`, for more than `most` bytes as well."""
    with open_regular(file, follow=follow) as opened:
        content = opened.read(most + 1)
    if len(content) > most:
        raise too_large(file, most)
    return content


def too_large(file: Path, most: int) -> OSError:
    """The error for a file with more bytes than it may have."""
    return OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(file))


def lines_of(file: Path, *, follow: bool = True) -> Iterator[bytes]:
    """The lines of a regular file without their ends; of one whose name ends in .xz, those that are compressed in it.

    Raises `OSError`, for a line that is too long as well, and `LZMAError` or `EOFError` for a damaged compressed file.
    """
    with open_regular(file, follow=follow) as opened:
        plain = iter(lambda: opened.read(AT_ONCE), b"")
        yield from _lines(file, _unpacked(file, plain) if file.suffix == ".xz" else plain)


def _lines(file: Path, pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole
        if len(rest) > MOST_LINE:
            raise OSError(errno.EFBIG, f"it has a line of more than {MOST_LINE:,} bytes", str(file))
    if rest:
        yield rest


def _unpacked(file: Path, packed: Iterable[bytes]) -> Iterator[bytes]:
    """The content of a compressed file, which may have several parts."""
    part, within, given, got = _part(), False, 0, 0
    for piece in packed:
        given += len(piece)
        while piece or not part.needs_input:
            unpacked = part.decompress(piece, AT_ONCE)
            got += len(unpacked)
            if got > max(SMALL, MOST_UNPACKED * given):
                raise OSError(errno.EFBIG, f"it unpacks to more than {MOST_UNPACKED:,} times its size", str(file))
            yield unpacked
            within, piece = not part.eof, part.unused_data
            part = part if within else _part()
    if within:
        raise EOFError("it ends within a compressed part")


def _part() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(memlimit=MOST_MEMORY)
