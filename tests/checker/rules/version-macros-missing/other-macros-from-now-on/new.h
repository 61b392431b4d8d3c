// One packed number gives way to two macros: code that asks for the old one no longer compiles.
#ifndef TX_H_
#define TX_H_

#define TX_MAJOR_VERSION 1
#define TX_MINOR_VERSION 0

typedef struct TXTensor {
  void* data;
} TXTensor;

#endif  // TX_H_
