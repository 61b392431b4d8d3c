"""Load plugins into TensorFlow, one after the other, and add on each device; run by the Python that has TensorFlow."""

from __future__ import annotations

import sys

import tensorflow as tf
from tensorflow.python.framework.load_library import load_pluggable_device_library

for argument in sys.argv[1:]:
    load_pluggable_device_library(argument)
for device in tf.config.list_physical_devices():
    kind = device.device_type
    with tf.device(f"/{kind}:0"):
        total = tf.raw_ops.AddV2(x=tf.constant([1.0, 2.0]), y=tf.constant([10.0, 20.0]))
    print(total.device.rpartition("device:")[2], total.numpy().tolist())
