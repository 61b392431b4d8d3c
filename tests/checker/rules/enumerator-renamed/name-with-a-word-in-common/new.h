// The new name says more of the same: the contract stays.
#pragma once

enum ToyStep { TOY_STEP_OPEN = 1, TOY_STEP_CLOSE = 2, TOY_STEP_FLUSH_ALL = 3 };

int toy_step(enum ToyStep step);
