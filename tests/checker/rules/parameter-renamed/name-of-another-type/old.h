#pragma once

/* Room for `entries`; how many there are comes back in `*devices`. */
int toy_split(void* toy, unsigned entries, void** out, unsigned* devices);
