// One name of several changes, and says something else. Should trigger, with the contract at risk.
#ifndef EXAMPLE_ONE_BEGINS_OTHERWISE_H_
#define EXAMPLE_ONE_BEGINS_OTHERWISE_H_

enum ToyDevice { kCPU = 1, kCUDA = 2, kVPI = 9 };

int toy_open(enum ToyDevice device);

#endif  // EXAMPLE_ONE_BEGINS_OTHERWISE_H_
