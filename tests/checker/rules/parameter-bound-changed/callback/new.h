#pragma once
typedef void (*cb)(unsigned char out[32]);
void set(cb c);
