#pragma once
typedef void (*done_t)(void);
void u(done_t);
