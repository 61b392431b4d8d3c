"""Load a plugin into TensorFlow and add on its device; run by the Python that has TensorFlow."""

from __future__ import annotations

import sys

import tensorflow as tf
from tensorflow.python.framework.load_library import load_pluggable_device_library

load_pluggable_device_library(sys.argv[1])
print(tf.config.list_physical_devices("XPU")[0].name)
with tf.device("/XPU:0"):
    total = tf.raw_ops.AddV2(x=tf.constant([1.0, 2.0]), y=tf.constant([10.0, 20.0]))
print(total.device.rpartition("device:")[2], total.numpy().tolist())
