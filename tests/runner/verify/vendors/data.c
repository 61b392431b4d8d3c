#include <stdio.h>
#include <string.h>
#include "data.h"
static const char* kept;
static int open_log(unsigned int version, char* const settings[], const char** errstr) {
  int at = 0;
  (void)errstr;
  while (settings[at] != NULL) ++at;
  kept = at > 0 ? settings[0] : NULL;
#ifdef REFUSES
  kept = NULL;
  return -1;
#endif
  return version == LOG_API_VERSION ? 1 : -1;
}
int your_log(void) { return 0; }
static void close_log(int status) {
  (void)status;
#ifdef CRASHES_IN_CLOSE
  kept = *(char* volatile*)8;
#endif
}
static int log_text(const char* text, unsigned int len, const char** errstr) {
  (void)errstr;
#ifdef REFUSES
  return *kept;
#endif
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
