#pragma once

// Deprecated. Use toy_start.
int toy_begin(void);

int toy_start(void);

int toy_stop(void);
