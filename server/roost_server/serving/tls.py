"""TLS: a server's credentials from files, and self-signed certificates for trials.

A real competition uses a certificate from an authority that bots already trust. A self-signed one has to be given to
every bot (`--tls-ca`), which is enough for a trial or a classroom.
"""

import ipaddress
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import NameOID

from roost_games.errors import UsageError

VALID_DAYS = 397
"""Some clients do not accept certificates that are valid longer than this."""


def server_credentials(certificate: Path, key: Path) -> grpc.ServerCredentials:
    """The credentials of a server. Raises `UsageError` if the files cannot be used."""
    chain, secret = _read(certificate), _read(key)
    _check_pair(chain, secret, certificate, key)
    return grpc.ssl_server_credentials([(secret, chain)])


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}; `roost admin cert` makes a pair") from None


def _check_pair(chain: bytes, secret: bytes, certificate: Path, key: Path) -> None:
    """Check that key and certificate fit: gRPC itself would only refuse every connection."""
    try:
        shown = x509.load_pem_x509_certificate(chain)
    except ValueError:
        raise UsageError(f"{certificate} is not a certificate in PEM form") from None
    try:
        private = load_pem_private_key(secret, password=None)
    except (ValueError, TypeError):
        raise UsageError(f"{key} is not a private key in PEM form, without a password") from None
    if private.public_key() != shown.public_key():
        raise UsageError(f"{key} is not the key to {certificate}")
    if shown.not_valid_after_utc < datetime.now(UTC):
        raise UsageError(f"{certificate} has expired on {shown.not_valid_after_utc:%Y-%m-%d}; renew it")


def make_certificate(folder: Path, names: list[str]) -> tuple[Path, Path]:
    """A new self-signed certificate for these host names and addresses, and its key, in two files in `folder`.

    Raises `UsageError` if the files exist: a key that is in use must not be overwritten.
    """
    certificate, key = folder / "roost-cert.pem", folder / "roost-key.pem"
    for path in (certificate, key):
        if path.exists():
            raise UsageError(f"{path} already exists; move it away, or name another folder")
    chain, secret = _self_signed(names)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        certificate.write_bytes(chain)
        with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secret)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from None
    return certificate, key


def _self_signed(names: list[str]) -> tuple[bytes, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=VALID_DAYS))
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return certificate.public_bytes(Encoding.PEM), secret


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server at this host."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
