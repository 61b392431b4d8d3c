// An array of pointers has a stride of one pointer, whatever they point to. Should not trigger.
#ifndef TOPOLOGY_H_
#define TOPOLOGY_H_

#include <stddef.h>
#include <stdint.h>

#define TOPO_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct TopoDevice {
  size_t struct_size;
  int64_t id;
  int64_t memory_bytes;  // 0 is no-op.
} TopoDevice;

#define TOPO_DEVICE_STRUCT_SIZE TOPO_END(TopoDevice, memory_bytes)

typedef struct TopoDescription {
  size_t struct_size;
  TopoDevice** devices;  // length == num_devices
  size_t num_devices;
  TopoDevice* preferred;
  TopoDevice* spare[2];
} TopoDescription;

#define TOPO_DESCRIPTION_STRUCT_SIZE TOPO_END(TopoDescription, spare)

#endif  // TOPOLOGY_H_
