// `devices` with `num_devices` is an array: the reader's stride is its own header's sizeof. Should trigger.
#ifndef TOPOLOGY_H_
#define TOPOLOGY_H_

#include <stddef.h>
#include <stdint.h>

#define TOPO_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef struct TopoDevice {
  size_t struct_size;
  int64_t id;
} TopoDevice;

#define TOPO_DEVICE_STRUCT_SIZE TOPO_END(TopoDevice, id)

typedef struct TopoDescription {
  size_t struct_size;
  TopoDevice* devices;  // length == num_devices
  size_t num_devices;
} TopoDescription;

#define TOPO_DESCRIPTION_STRUCT_SIZE TOPO_END(TopoDescription, num_devices)

#endif  // TOPOLOGY_H_
