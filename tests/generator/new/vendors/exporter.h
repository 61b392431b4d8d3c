/* A library exports its functions; the header says nothing of C++. */
#ifndef EXPORTER_H
#define EXPORTER_H
#define VX_MAJOR_VERSION 2
typedef struct vx_info {
  const char* title;
  int vx_version;
  int num_knobs;
} vx_info;
typedef void* vx_object;
int vx_init(void);
void vx_deinit(void);
void vx_get_info(vx_info* info);
vx_object vx_construct(unsigned int width, unsigned int height);
void vx_destruct(vx_object object);
void vx_update(vx_object object, const unsigned int* in, unsigned int* out);
#endif
