#pragma once
typedef void (*cb)(unsigned char out[20]);
void set(cb c);
