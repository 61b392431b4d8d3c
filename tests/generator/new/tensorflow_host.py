"""A host for `abigen verify --host`: TensorFlow loads the plugin, and copies to its device and back."""

import sys

import tensorflow
from tensorflow.python.framework import load_library

load_library.load_pluggable_device_library(sys.argv[1])
(device,) = tensorflow.config.list_logical_devices("PROBE")
with tensorflow.device(device.name):
    there = tensorflow.constant([1.0, 2.0])
assert there.device.endswith(device.name)
print(there.numpy().shape)
