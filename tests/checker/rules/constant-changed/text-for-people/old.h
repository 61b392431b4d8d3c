// Copyrights, releases, dates and revisions of the source are shown, and names of such things are values.
#pragma once

#define TOY_COPYRIGHT "Copyright (C) 1994-2015 The Makers"
#define TOY_MADE_BY "Copyright 2019 The Makers"
#define TOY_RELEASE "1.0 beta"
#define TOY_SOURCE "$Id: toy.h 1234 $"
#define TOY_GIT_COMMIT "a1b2c3"
#define TOY_KEY_RELEASE "release"
#define TOY_KEY_DATE "date"
