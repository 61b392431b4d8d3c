// The name and its value stay, as a macro instead of an enumerator. Should not trigger.
#ifndef KIND_H_
#define KIND_H_

#define KIND_FILE 1
#define KIND_SOCKET 0x2

void kind_open(int kind);

#endif  // KIND_H_
