#pragma once
void hash(const char *m, unsigned char out[32]);
