/* The entry point stores the address of a table. */
#ifndef STORED_H
#define STORED_H
typedef unsigned long TK_RV;
#define TKR_OK 0
#define TKR_GENERAL_ERROR 5
#define TKR_FUNCTION_NOT_SUPPORTED 0x54
typedef struct tk_functions tk_functions;
struct tk_functions {
  TK_RV (*initialize)(void* reserved);
  TK_RV (*finalize)(void* reserved);
  TK_RV (*random)(unsigned char* bytes, unsigned long bytes_len);
};
TK_RV TK_GetFunctionList(struct tk_functions** list);
#endif
