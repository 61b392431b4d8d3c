#include <stdio.h>
#include <string.h>
#include "data.h"
static const char* kept;
static int open_log(unsigned int version, char* const settings[], const char** errstr) {
  int at = 0;
  (void)errstr;
  while (settings[at] != NULL) ++at;
  kept = at > 0 ? settings[0] : NULL;
  return version == LOG_API_VERSION ? 1 : -1;
}
static void close_log(int status) { (void)status; }
static int log_text(const char* text, unsigned int len, const char** errstr) {
  (void)errstr;
#ifdef READS_PAST
  return strlen(text) < 1000 ? 1 : (int)len;
#else
  return len == 0 || text[len - 1] != 1 ? 1 : -1;
#endif
}
__attribute__((visibility("default"))) struct log_plugin my_log = {
#ifdef WRONG_CONSTANT
    .type = LOG_IO_PLUGIN + 1,
#else
    .type = LOG_IO_PLUGIN,
#endif
    .version = LOG_API_VERSION, .open = open_log, .close = close_log,
#ifndef MISSING
    .log = log_text,
#endif
};
