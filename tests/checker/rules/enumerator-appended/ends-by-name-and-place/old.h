#pragma once

enum ToyKind { ToyKindBall, ToyKindCar, ToyKindMax };
enum ToyColour { TOY_COLOUR_RED, TOY_COLOUR_BLUE, NUM_TOY_COLOURS };
enum ToyStep { TOY_STEP_BEGIN, TOY_STEP_END, TOY_STEP_AFTER };

int toy_make(enum ToyKind kind, enum ToyColour colour, enum ToyStep step);
