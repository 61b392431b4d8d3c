#pragma once

typedef int (*toy_visit)(void* state);

int toy_open(const char* path);
int toy_walk(toy_visit visit, void* state);
