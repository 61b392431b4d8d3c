"""A host for `abigen verify --host`: JAX loads the plugin, lists its devices, and copies to one of them."""

import os
import sys
from pathlib import Path

os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"probe:{Path(sys.argv[1]).resolve()}"
os.environ["JAX_PLATFORMS"] = "probe"

import jax
import numpy

(device,) = jax.devices()
print(device.platform, device.device_kind, device.id, device.process_index, device.memory_stats())
there = jax.device_put(numpy.arange(4, dtype=numpy.float32), device)
there.block_until_ready()
print(there.shape, there.devices())
there.delete()
