// Two new names before others that have no value of their own: one finding each, the shifted ones are consequences.
#ifndef TP_TYPE_H_
#define TP_TYPE_H_

typedef enum TP_Type {
  TP_TYPE_INVALID,
  TP_TYPE_FLOAT,
  TP_TYPE_INT,
  TP_TYPE_STRING
} TP_Type;

int TP_SizeOfType(TP_Type type);

#endif  // TP_TYPE_H_
