#pragma once

/* The version of the API, and the same in other words: silent. */
#define CS_API_MAJOR 5
#define CS_API_MINOR 0
#define CS_VERSION_MAJOR CS_API_MAJOR
#define CS_VERSION_MINOR CS_API_MINOR
#define CS_VERSION_EXTRA 7
#define CS_VERSION_DOTTED "5.0.7"
#define CS_VERSION_TWEAK "beta"
#define CS_RELEASE_DATE 20240131
#define CS_NANO 11692
#define CS_RC "-rc2"
#define CS_SOVERSION 5

/* The engine below it has a version of its own. Should trigger, without a bump. */
#define CS_ENGINE_VERSION_MAJOR 3
#define CS_ENGINE_VERSION_MINOR 9
#define CS_ENGINE_VERSION_BUILD 1701
#define PACKAGE_STRING "capsule 5.0.7"

/* They are called otherwise, and are no parts of a version. Should trigger as breaks. */
#define CS_EXTRA_BYTES 7
#define CS_MAJOR_AXIS 4
#define CS_BUILD_FLAGS 2
#define CS_DATE 3
#define CS_KEY_VERSION_MAJOR 0x2002
