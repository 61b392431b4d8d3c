// Functions, and not a word of C++: reported once, at the first of them.
#ifndef PLAIN_H_
#define PLAIN_H_

int plain_open(const char* path);
int plain_close(int handle);

#endif  // PLAIN_H_
