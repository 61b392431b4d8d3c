// The whole enumeration goes: its values are consequences.
#ifndef LOG_H_
#define LOG_H_

typedef enum LogLevel {
  LOG_ERROR,
  LOG_WARNING,
  LOG_INFO
} LogLevel;

void log_write(int level, const char* text);

#endif  // LOG_H_
