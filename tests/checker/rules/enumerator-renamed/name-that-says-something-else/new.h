// Whether the value got another name or another meaning nobody can see: the contract is at risk.
#pragma once

enum ToyStep { TOY_STEP_OPEN = 1, TOY_STEP_CLOSE = 2, TOY_STEP_DELETE = 3 };

int toy_step(enum ToyStep step);
