#pragma once

enum ToyKind { ToyKindBall, ToyKindCar, ToyKindDoll, ToyKindMax };
enum ToyColour { TOY_COLOUR_RED, TOY_COLOUR_BLUE, TOY_COLOUR_GREEN, NUM_TOY_COLOURS };
/* An end in the middle is a step like any other. */
enum ToyStep { TOY_STEP_BEGIN, TOY_STEP_MIDDLE, TOY_STEP_END, TOY_STEP_AFTER };

int toy_make(enum ToyKind kind, enum ToyColour colour, enum ToyStep step);
