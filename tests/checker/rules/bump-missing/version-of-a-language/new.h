#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* The latest state of the language that this library understands. No version of this header: should not trigger. */
#define TOY_LANGUAGE_VERSION 14
#define TOY_MIN_COMPATIBLE_LANGUAGE_VERSION 13
#define TOY_WIRE_PROTOCOL_VERSION 3

typedef struct ToyParser ToyParser;

ToyParser* toy_parser_new(void);
void toy_parser_reset(ToyParser* parser);

#ifdef __cplusplus
}
#endif
