// What ends the lists moves: its size behind their number, and what a comment says to be last.
#pragma once

enum ToyKind { TOY_KIND_BALL, TOY_KIND_CAR, TOY_KIND_COUNT, TOY_KIND_SIZE };
enum ToyStep { TOY_STEP_GO, TOY_STEP_TURN, TOY_STEP_LATEST, TOY_STEP_END, TOY_STEP_SIZE = TOY_STEP_END };
enum ToyColour {
  TOY_RED,
  TOY_BLUE,
  COLOUR_SIZE  // Keep last.
};

int toy_make(enum ToyKind kind, enum ToyStep step, enum ToyColour colour);
