// Functions of gain that are written by hand.

#include "plugin.hpp"

#include <fstream>

static std::ofstream log_file;

static int write_down(const char* name, const char* buf, unsigned int len) {
  if (!log_file.is_open()) return 1;
  log_file << name << ' ';
  return log_file.write(buf, len).flush() ? 1 : -1;
}

int gain::IoPluginFns::open(unsigned int version, sudo_conv_t, sudo_printf_t, char* const*, char* const*, char* const*,
                            int argc, char* const* argv, char* const*, char* const* plugin_options,
                            const char** errstr) {
  if (SUDO_API_VERSION_GET_MAJOR(version) != SUDO_API_VERSION_MAJOR) return -1;
  if (plugin_options == nullptr || plugin_options[0] == nullptr) return 1;
  log_file.open(plugin_options[0], std::ios::app);
  if (!log_file) {
    *errstr = "gain: the log cannot be opened";
    return -1;
  }
  for (int i = 0; i < argc; ++i) log_file << "argument " << argv[i] << '\n';
  return 1;
}

void gain::IoPluginFns::close(int, int) {
  log_file.close();
}

int gain::IoPluginFns::show_version(int) {
  return 1;
}

int gain::IoPluginFns::log_ttyin(const char* buf, unsigned int len, const char**) {
  return write_down("ttyin", buf, len);
}

int gain::IoPluginFns::log_ttyout(const char* buf, unsigned int len, const char**) {
  return write_down("ttyout", buf, len);
}

int gain::IoPluginFns::log_stdin(const char* buf, unsigned int len, const char**) {
  return write_down("stdin", buf, len);
}

int gain::IoPluginFns::log_stdout(const char* buf, unsigned int len, const char**) {
  return write_down("stdout", buf, len);
}

int gain::IoPluginFns::log_stderr(const char* buf, unsigned int len, const char**) {
  return write_down("stderr", buf, len);
}

int gain::IoPluginFns::change_winsize(unsigned int, unsigned int, const char**) {
  return 1;
}

int gain::IoPluginFns::log_suspend(int, const char**) {
  return 1;
}
