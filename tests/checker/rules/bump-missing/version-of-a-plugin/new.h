#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* The state of what plugins implement: the version of all that stands here. Should trigger. */
#define TOY_PLUGIN_VERSION 1
#define TOY_MAX_PROTOCOL_VERSION 7

typedef struct toy_plugin {
  int version;
  int (*open)(void);
} toy_plugin;

int toy_plugin_register(const toy_plugin* plugin);
int toy_plugin_count(void);

#ifdef __cplusplus
}
#endif
