// Constants that are called ends: one grows with a new one, the others do not follow a list. Should trigger for those.
#pragma once

#define TOY_VERB_OPEN 100
#define TOY_VERB_MAX 100
#define TOY_PART_MAX 4
#define TOY_PART_ARM 0
#define TOY_RANK_MIN 1
#define TOY_RANK_LOW 2
#define TOY_RANK_MAX 2
