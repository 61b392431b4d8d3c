// The word stands in a sentence about something else. Should not trigger.
#ifndef OLDAPI_H_
#define OLDAPI_H_

// Opens a file, also by a path in the syntax that was deprecated with version 3 of the file server.
int old_open(const char* path);

#endif  // OLDAPI_H_
