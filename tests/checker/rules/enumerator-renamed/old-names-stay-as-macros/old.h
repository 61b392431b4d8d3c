#pragma once

typedef enum TOY_Code {
  TOY_OK = 0,
  TOY_FULL = 1,
  TOY_EMPTY = 2,
} TOY_Code;

TOY_Code TOY_Poll(void);
