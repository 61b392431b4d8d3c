// All names get another beginning: what follows it says what each means. Should trigger.
#ifndef EXAMPLE_ALL_NAMES_BEGIN_OTHERWISE_H_
#define EXAMPLE_ALL_NAMES_BEGIN_OTHERWISE_H_

enum ToyDevice { kDLCPU = 1, kDLGPU = 2, kDLVPI = 9 };

int toy_open(enum ToyDevice device);

#endif  // EXAMPLE_ALL_NAMES_BEGIN_OTHERWISE_H_
