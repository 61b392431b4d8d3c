// The whole enumeration goes: its values are consequences.
#ifndef LOG_H_
#define LOG_H_

void log_write(int level, const char* text);

#endif  // LOG_H_
