/* A table is exported as data, under the author's name. */
#ifndef DATA_H
#define DATA_H
#define LOG_IO_PLUGIN 2
#define LOG_API_VERSION 0x10003
struct log_plugin {
  unsigned int type;    /* always LOG_IO_PLUGIN */
  unsigned int version; /* always LOG_API_VERSION */
  int (*open)(unsigned int version, char* const settings[], const char** errstr);
  void (*close)(int status);
  int (*log)(const char* text, unsigned int len, const char** errstr);
};
#endif
