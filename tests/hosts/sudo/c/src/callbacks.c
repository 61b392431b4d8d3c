// Functions of gain that are written by hand.

#include "plugin.h"

#include <stdio.h>

static FILE* log_file;

static int write_down(const char* name, const char* buf, unsigned int len) {
  if (log_file == NULL) return 1;
  fprintf(log_file, "%s %.*s", name, (int)len, buf);
  return fflush(log_file) == 0 ? 1 : -1;
}

int gain_open(unsigned int version, sudo_conv_t conversation,
              sudo_printf_t sudo_plugin_printf, char* const* settings,
              char* const* user_info, char* const* command_info, int argc,
              char* const* argv, char* const* user_env,
              char* const* plugin_options, const char** errstr) {
  (void)conversation;
  (void)sudo_plugin_printf;
  (void)settings;
  (void)user_info;
  (void)command_info;
  (void)user_env;
  if (SUDO_API_VERSION_GET_MAJOR(version) != SUDO_API_VERSION_MAJOR) return -1;
  if (plugin_options == NULL || plugin_options[0] == NULL) return 1;
  log_file = fopen(plugin_options[0], "a");
  if (log_file == NULL) {
    *errstr = "gain: the log cannot be opened";
    return -1;
  }
  for (int i = 0; i < argc; ++i) fprintf(log_file, "argument %s\n", argv[i]);
  return 1;
}

void gain_close(int exit_status, int error) {
  (void)exit_status;
  (void)error;
  if (log_file != NULL) fclose(log_file);
  log_file = NULL;
}

int gain_show_version(int verbose) {
  (void)verbose;
  return 1;
}

int gain_log_ttyin(const char* buf, unsigned int len, const char** errstr) {
  (void)errstr;
  return write_down("ttyin", buf, len);
}

int gain_log_ttyout(const char* buf, unsigned int len, const char** errstr) {
  (void)errstr;
  return write_down("ttyout", buf, len);
}

int gain_log_stdin(const char* buf, unsigned int len, const char** errstr) {
  (void)errstr;
  return write_down("stdin", buf, len);
}

int gain_log_stdout(const char* buf, unsigned int len, const char** errstr) {
  (void)errstr;
  return write_down("stdout", buf, len);
}

int gain_log_stderr(const char* buf, unsigned int len, const char** errstr) {
  (void)errstr;
  return write_down("stderr", buf, len);
}

int gain_change_winsize(unsigned int line, unsigned int cols,
                        const char** errstr) {
  (void)line;
  (void)cols;
  (void)errstr;
  return 1;
}

int gain_log_suspend(int signo, const char** errstr) {
  (void)signo;
  (void)errstr;
  return 1;
}
