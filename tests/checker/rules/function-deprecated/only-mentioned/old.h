// The word stands in a sentence about something else. Should not trigger.
#ifndef OLDAPI_H_
#define OLDAPI_H_

int old_open(const char* path);

#endif  // OLDAPI_H_
