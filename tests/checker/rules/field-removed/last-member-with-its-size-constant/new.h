// The last member goes, and the size constant steps back with it: one cause, one finding.
#ifndef SENSOR_API_H_
#define SENSOR_API_H_

#include <stddef.h>
#include <stdint.h>

typedef struct SensorReading {
  size_t struct_size;
  void* ext;
  int64_t timestamp_ns;
  double value;
} SensorReading;

enum { SENSOR_READING_STRUCT_SIZE = offsetof(SensorReading, value) + sizeof(double) };

#endif  // SENSOR_API_H_
