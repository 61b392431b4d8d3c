"""TensorFlow's plugin API, the specs of `spec/tensorflow`."""
