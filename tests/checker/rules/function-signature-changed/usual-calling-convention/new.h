#pragma once

/* Spelled out now. C's own convention is the usual one everywhere, and what 64-bit Windows is asked for beyond it by
   these words is ignored there. */
#ifdef _WIN32
#define TOY_CALL __cdecl
#define TOY_BACK __stdcall
#else
#define TOY_CALL
#define TOY_BACK
#endif

typedef int(TOY_BACK* toy_visit)(void* state);

int TOY_CALL toy_open(const char* path);
int TOY_CALL toy_walk(toy_visit visit, void* state);
