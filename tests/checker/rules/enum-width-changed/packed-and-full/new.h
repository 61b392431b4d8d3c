// A packed enumeration takes one byte until a value needs two. Should trigger.
#ifndef OPCODE_H_
#define OPCODE_H_

typedef enum __attribute__((packed)) Opcode {
  OPCODE_LOAD = 1,
  OPCODE_STORE = 200,
  OPCODE_EXTENDED = 300
} Opcode;

int opcode_length(const Opcode* code);

#endif  // OPCODE_H_
