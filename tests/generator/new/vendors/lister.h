/* A library lists its effects; each is a table of functions over an instance. */
#ifndef LISTER_H
#define LISTER_H
#ifdef __cplusplus
extern "C" {
#endif
typedef void* fx_instance;
typedef struct _fx_effect {
  const char* name;
  unsigned long ports;
  /* Returns NULL if there is no memory. */
  fx_instance (*instantiate)(const struct _fx_effect* effect, unsigned long rate);
  void (*connect_port)(fx_instance instance, unsigned long port, float* data);
  void (*run)(fx_instance instance, unsigned long samples);
  void (*cleanup)(fx_instance instance);
} fx_effect;
const fx_effect* fx_describe(unsigned long index);
#ifdef __cplusplus
}
#endif
#endif
