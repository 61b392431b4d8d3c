// Copyrights, releases, dates and revisions of the source are shown, and names of such things are values.
#pragma once

#define TOY_COPYRIGHT "Copyright (C) 1994-2020 The Makers"
#define TOY_MADE_BY "Copyright 2020 The Makers"
#define TOY_RELEASE "1.0"
#define TOY_SOURCE "$Id: toy.h 1235 $"
#define TOY_GIT_COMMIT "d4e5f6"
#define TOY_KEY_RELEASE "released"
#define TOY_KEY_DATE "day"
