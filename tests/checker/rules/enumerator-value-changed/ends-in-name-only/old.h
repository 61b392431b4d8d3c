// Names of ends, and values that are none. Should trigger for each.
#pragma once

enum { API_NAME_MAX = 32, API_NAME_LEAST = 1 };
#define API_LINE API_NAME_MAX
#define API_PAGE (4 * API_NAME_MAX)
enum RedKind { RED_SUM, RED_MAX, RED_MIN };
enum RedStep { STEP_SUM, STEP_MIN, STEP_COUNT };
enum Priority { PRIO_LOW = 1, PRIO_MAX = 100 };
enum Stage { STAGE_A, STAGE_B, STAGE_C, STAGE_LAST = STAGE_C };
enum Part { PART_A, PART_B, PART_LAST = PART_B };
enum Shape { SHAPE_A, SHAPE_B, SHAPE_COUNT, SHAPE_OTHER = 0x10 };
enum Colour { COLOUR_A, COLOUR_B, COLOUR_COUNT };
enum { SIDE_LEFT, SIDE_RIGHT, SIDE_COUNT };

int api_set(enum RedKind kind, enum RedStep step, enum Priority priority, enum Stage stage, enum Part part);
int api_draw(enum Shape shape, enum Colour colour);
