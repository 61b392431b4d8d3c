// Constants that are called ends: one grows with a new one, the others do not follow a list. Should trigger for those.
#pragma once

#define TOY_VERB_OPEN 100
#define TOY_VERB_CLOSE 101
#define TOY_VERB_MAX 101
#define TOY_PART_MAX 8
#define TOY_PART_ARM 0
#define TOY_PART_LEG 7
#define TOY_RANK_MIN 1
#define TOY_RANK_LOW 2
#define TOY_RANK_HIGH 3
#define TOY_RANK_MAX 3
