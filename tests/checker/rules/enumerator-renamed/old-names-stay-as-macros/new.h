#pragma once

typedef enum TOY_Code {
  BOX_OK = 0,
  BOX_FULL = 1,
  BOX_EMPTY = 2,
} TOY_Code;

/* What code of before says. */
#define TOY_OK BOX_OK
#define TOY_FULL BOX_FULL
#define TOY_EMPTY (1)

TOY_Code TOY_Poll(void);
