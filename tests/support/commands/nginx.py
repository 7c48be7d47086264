"""nginx before an arena and its page, as the sample configurations of `deploy/` have it."""

import shutil
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from roost_server.serving.tls import make_certificate
from tests.support.commands.roost import until
from tests.support.ports import free_port

DEPLOY = Path(__file__).parents[3] / "deploy"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed: apt-get install nginx")
MAIN = """
daemon off;
master_process off;
error_log stderr warn;
pid {folder}/nginx.pid;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


class Site(NamedTuple):
    """What nginx serves."""

    port: int
    certificate: Path

    def open(self, path: str) -> Any:
        """As a browser does. Raises `HTTPError`."""
        trusting = ssl.create_default_context(cafile=str(self.certificate))
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusting)
        )
        return opener.open(f"https://localhost:{self.port}{path}", timeout=60)

    def text(self, path: str) -> str:
        with self.open(path) as answer:
            return str(answer.read().decode())


@contextmanager
def nginx(folder: Path, arena_address: str, page_port: int, prefixed_port: int) -> Iterator[Site]:
    """The sample configurations as they are, but for addresses, names and files: a site, and a page under a path."""
    certificate, key = make_certificate(folder, ["localhost"])
    port = free_port()
    below = (DEPLOY / "nginx-under-a-path.conf").read_text().replace("127.0.0.1:8080", f"127.0.0.1:{prefixed_port}")
    site = (DEPLOY / "nginx.conf").read_text()
    for sample, here in (
        ("listen 443 ", f"listen 127.0.0.1:{port} "),
        ("server_name arena.example;", "server_name localhost;\n" + below),
        ("/etc/letsencrypt/live/arena.example/fullchain.pem", str(certificate)),
        ("/etc/letsencrypt/live/arena.example/privkey.pem", str(key)),
        ("127.0.0.1:50051", arena_address),
        ("server 127.0.0.1:8080;", f"server 127.0.0.1:{page_port};"),
    ):
        assert sample in site
        site = site.replace(sample, here)
    (folder / "site.conf").write_text(site)
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder))
    command = [str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        found = Site(port, certificate)
        until(lambda: process.poll() is not None or answers(found))
        assert process.poll() is None, process.communicate()[1]
        yield found
    finally:
        process.terminate()
        process.communicate()


def answers(site: Site) -> bool:
    try:
        with site.open("/"):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
