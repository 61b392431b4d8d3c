// The date of a release as a keyword of the version control system: shown, and no break.
#ifndef DATED_H_
#define DATED_H_

#define LIB_VERSION_DATE "$Date:: 2024-07-30 #$"

#endif  // DATED_H_
