"""The real TensorFlow, judged as a host: it keeps the rules that its plugins are asked to keep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.generator.new.projects import TENSORFLOW
from tests.running import run_here

pytestmark = pytest.mark.tensorflow

HOST = Path(__file__).with_name("tensorflow_host.py")
CALLED = (
    "SP_PlatformFns.create_device",
    "SP_PlatformFns.create_stream_executor",
    "SP_StreamExecutor.allocate",
    "SP_StreamExecutor.create_stream",
    "SP_StreamExecutor.memcpy_htod",
    "SP_StreamExecutor.memcpy_dtoh",
    "SP_StreamExecutor.record_event",
    "SP_StreamExecutor.get_event_status",
)
"""The functions that TensorFlow has to call for the two copies; else the run would prove nothing."""


def test_tensorflow_takes_plugins_of_other_releases_and_heeds_refusals(python: Path) -> None:
    words = ["verify", "--host", f"{python} {HOST} {{plugin}}", "--api", TENSORFLOW, "--timeout", "120"]
    done = run_here([*words, "--format", "json"])
    # TensorFlow 2.21 does not look at the status of `create_stream`; docs/hosts.md tells of it.
    found = {(each["rule"], each["entity"]) for each in json.loads(done.stdout)["findings"]}
    assert found == {("handle-misused", "SP_StreamExecutor.block_host_until_done")}, done.stdout + done.stderr
    untried = done.stderr.partition("so they are not judged: ")[2].split(", ")
    assert "SP_StreamExecutor.memset32" in untried
    assert not set(CALLED).intersection(untried)
