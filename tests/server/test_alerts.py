"""The alerts for hosts: Prometheus's own tool tries each of them, and docs/hosting/operations.md lists them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RULES = ROOT / "deploy/prometheus-alerts.yml"
TRIALS = HERE / "prometheus_alerts_test.yml"
PAGE = (ROOT / "docs/hosting/operations.md").read_text(encoding="utf-8")
needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not installed: apt-get install prometheus"
)


def alerts() -> list[str]:
    found = re.findall(r"^ +- alert: (\w+)$", RULES.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) > 4
    return found


def test_every_alert_is_explained_and_nothing_else() -> None:
    assert re.findall(r"^\| `(Roost\w+)` \|", PAGE, re.MULTILINE) == alerts()


def test_every_alert_is_tried_in_trouble_and_without_it() -> None:
    trials = TRIALS.read_text(encoding="utf-8")
    for alert in alerts():
        assert re.search(rf"alertname: {alert}\n +exp_alerts:", trials), alert
        assert f"alertname: {alert}}}" in trials


def test_the_alerts_ask_for_metrics_that_there_are() -> None:
    explained = set(re.findall(r"^\| `(roost_\w+)` \|", PAGE, re.MULTILINE))
    for file in (RULES, TRIALS):
        asked = {name.removesuffix("_bucket") for name in re.findall(r"\broost_\w+", file.read_text(encoding="utf-8"))}
        assert asked
        assert asked <= explained


@needs_promtool
@pytest.mark.parametrize("check", [("check", "rules", RULES), ("test", "rules", TRIALS)], ids=["valid", "right"])
def test_the_alerts_are_right(check: tuple[str | Path, ...]) -> None:
    done = subprocess.run(["promtool", *check], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
