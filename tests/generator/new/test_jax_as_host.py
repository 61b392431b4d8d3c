"""The real JAX, judged as a host: it keeps the rules that its plugins are asked to keep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.running import run_here

pytestmark = pytest.mark.jax

HOST = Path(__file__).with_name("jax_host.py")
CALLED = (
    "PJRT_Api.PJRT_Client_Create",
    "PJRT_Api.PJRT_Client_AddressableDevices",
    "PJRT_Api.PJRT_Client_TopologyDescription",
    "PJRT_Api.PJRT_Device_MemoryStats",
    "PJRT_Api.PJRT_Client_BufferFromHostBuffer",
    "PJRT_Api.PJRT_Event_OnReady",
    "PJRT_Api.PJRT_Buffer_Delete",
    "PJRT_Api.PJRT_Error_Message",
)
"""The functions that JAX has to call for a copy and for the failing plugin; else the run would prove nothing."""


@pytest.mark.slow
@pytest.mark.parametrize("release", ["jax", "older_jax"])
def test_jax_takes_plugins_of_other_releases_and_asks_for_what_is_optional(
    release: str, request: pytest.FixtureRequest
) -> None:
    python: Path = request.getfixturevalue(release)
    words = ["verify", "--host", f"{python} {HOST} {{plugin}}", "--api", "xla/pjrt", "--timeout", "120"]
    done = run_here([*words, "--format", "json"])
    report = json.loads(done.stdout)
    assert report["findings"] == [], done.stderr
    passed = {each["rule"] for each in report["checks"] if each["result"] == "passed"}
    assert {"fitting-plugin-refused", "null-member-called", "handle-misused", "host-reads-past-end"} <= passed
    untried = done.stderr.partition("nothing is known of them: ")[2].split(", ")
    assert "PJRT_Api.PJRT_Compile" in untried
    assert not set(CALLED).intersection(untried)
