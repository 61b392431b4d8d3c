// Names of ends, and values that are none. Should trigger for each.
#pragma once

enum { API_NAME_MAX = 64, API_NAME_LEAST = 1 };
#define API_LINE API_NAME_MAX
#define API_PAGE (4 * API_NAME_MAX)
enum RedKind { RED_SUM, RED_MAX = 9, RED_MIN = 2 };
enum RedStep { STEP_SUM, STEP_MIN, STEP_MEAN, STEP_COUNT };
enum Priority { PRIO_LOW = 1, PRIO_MAX = 10 };
enum Stage { STAGE_A, STAGE_B, STAGE_C, STAGE_LAST = STAGE_B };
enum Part { PART_A, PART_B, PART_C, PART_LAST = 3 };
enum Shape { SHAPE_A, SHAPE_B, SHAPE_C, SHAPE_COUNT, SHAPE_OTHER = 0x10 };
enum Colour { COLOUR_A, COLOUR_COUNT };
enum { SIDE_LEFT, SIDE_RIGHT, SIDE_TOP, SIDE_COUNT };

int api_set(enum RedKind kind, enum RedStep step, enum Priority priority, enum Stage stage, enum Part part);
int api_draw(enum Shape shape, enum Colour colour);
