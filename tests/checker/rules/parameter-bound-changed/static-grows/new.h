#pragma once
void hash(const char *m, unsigned char out[static 32]);
