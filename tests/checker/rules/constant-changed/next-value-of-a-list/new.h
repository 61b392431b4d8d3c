// Each of the first three grows with a new constant; the other ones are values like others. Should trigger.
#pragma once

#define TOY_EVENT_START 0
#define TOY_EVENT_STOP 1
#define TOY_EVENT_PAUSE 2
#define TOY_EVENT_RESUME 3
#define _TOY_EVENT_NEXT 4

#define TOY_FLAG_RED (1 << 0)
#define TOY_FLAG_BLUE (1 << 1)
#define _TOY_FLAG_NEXT (1 << 2)

#define TOY_STATE_OPEN 0
#define TOY_STATE_SHUT 1
/* Must be updated when a new state is added. */
#define TOY_STATE_NEXT 2

#define TOY_COMMAND_PREVIOUS 0
#define TOY_COMMAND_FIRST 1
#define TOY_COMMAND_NEXT 2

#define TOY_STEP_BACK 0
#define _TOY_STEP_NEXT 3
