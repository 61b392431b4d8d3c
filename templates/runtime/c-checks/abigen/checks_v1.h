// The part of the generated checks that is the same for all APIs: it reports
// findings, walks the tables of structs and members, and loads plugins.
//
// Compile checks_v1.c once with the generated files, as C99 or later or C++.

#ifndef ABIGEN_CHECKS_V1_H_
#define ABIGEN_CHECKS_V1_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// A program and each plugin may have a copy of their own: none is exported.
#if defined(__GNUC__) && !defined(_WIN32) && !defined(__CYGWIN__)
#define ABIGEN_V1_LOCAL __attribute__((visibility("hidden")))
#else
#define ABIGEN_V1_LOCAL
#endif

#define ABIGEN_V1_MESSAGE_SIZE 512
#define ABIGEN_V1_MOST_PIECES 200  // The most characters of a pattern.

// The sizes of pointers are meant as such.
#define ABIGEN_V1_SIZEOF(type, member) \
  sizeof(((type*)0)->member)  // NOLINT(bugprone-sizeof-expression)
#define ABIGEN_V1_END(type, member) \
  (offsetof(type, member) + ABIGEN_V1_SIZEOF(type, member))
#define ABIGEN_V1_PLACE(type, member) \
  {#member, offsetof(type, member), ABIGEN_V1_SIZEOF(type, member)}
#define ABIGEN_V1_NOWHERE {NULL, 0, 0}
#define ABIGEN_V1_TABLE(array) array, sizeof(array) / sizeof((array)[0])
#define ABIGEN_V1_NO_TABLE NULL, 0

// An error or a warning about a plugin. The texts are valid during the call that
// passes it.
typedef struct abigen_v1_finding {
  int is_error;           // 0 for a warning: the plugin can be used.
  const char* structure;  // Name of the struct, or "".
  const char* member;     // Name of the member, or "".
  const char* release;    // The release that wants it otherwise, or "".
  const char* message;    // A sentence with all of that in it.
} abigen_v1_finding;

typedef void (*abigen_v1_finding_fn)(const abigen_v1_finding* finding,
                                     void* context);

// Receives findings and counts the errors.
typedef struct abigen_v1_reporter {
  abigen_v1_finding_fn report;
  void* context;
  int errors;
  char first[ABIGEN_V1_MESSAGE_SIZE];  // The message of the first error.
} abigen_v1_reporter;

// A member of a struct: it exists where the object is large enough.
typedef struct abigen_v1_place {
  const char* name;  // NULL for no member.
  size_t offset;
  size_t size;
} abigen_v1_place;

// A step of a pattern: a byte in one of several ranges.
typedef struct abigen_v1_piece {
  const char* ranges;  // The first and the last byte of each.
  int is_optional;     // Whether the piece may match no byte.
  int is_repeated;     // Whether the piece may match several bytes.
} abigen_v1_piece;

typedef struct abigen_v1_pattern {
  const char* text;
  const abigen_v1_piece* pieces;
  size_t piece_count;
} abigen_v1_pattern;

// A chain of extensions. All extensions begin with the same base.
typedef struct abigen_v1_chain {
  size_t least;          // The size of the base.
  abigen_v1_place size;  // The base's member with the size of the extension.
  size_t next;           // The offset of the pointer to the next extension.
  // Checks an extension if the API has a validator for its kind.
  void (*check)(const void* extension, abigen_v1_reporter* reporter);
} abigen_v1_chain;

// When a member is required or forbidden.
typedef struct abigen_v1_condition {
  int holds;
  const char* text;  // The end of a sentence.
} abigen_v1_condition;

typedef struct abigen_v1_member {
  abigen_v1_place place;
  int is_pointer;
  int required;   // 0 no, 1 yes, from 2 on by the condition of this number, less 2.
  int forbidden;  // The same.
  const char* since;
  const char* deprecated;  // Since when; "" when unknown, NULL when not at all.
  const char* use;         // The replacement, or "".
  abigen_v1_place successor;  // The replacement in the same struct, if any.
  const abigen_v1_pattern* pattern;  // Of the text that it points to, or NULL.
  const abigen_v1_chain* chain;      // That it leads to, or NULL.
} abigen_v1_member;
#define ABIGEN_V1_IN_USE NULL, "", ABIGEN_V1_NOWHERE
// A member that is required, and one that leads to a chain of extensions.
#define ABIGEN_V1_REQUIRED(type, member, is_pointer, since)            \
  {                                                                    \
    {#member, offsetof(type, member), ABIGEN_V1_SIZEOF(type, member)}, \
        is_pointer, 1, 0, since, ABIGEN_V1_IN_USE, NULL, NULL          \
  }
#define ABIGEN_V1_CHAINED(type, member, since, chain)                  \
  {                                                                    \
    {#member, offsetof(type, member), ABIGEN_V1_SIZEOF(type, member)}, \
        1, 0, 0, since, ABIGEN_V1_IN_USE, NULL, chain                  \
  }

// The bytes that a release appended to a struct.
typedef struct abigen_v1_step {
  const char* release;
  size_t begin;
  size_t end;
} abigen_v1_step;

// The member that states the kind of an extension, and its only right value.
typedef struct abigen_v1_kind {
  abigen_v1_place place;
  const void* value;
  const char* text;
} abigen_v1_kind;

typedef struct abigen_v1_struct {
  const char* name;
  size_t size;
  abigen_v1_place size_field;  // None for a struct of one size.
  const abigen_v1_step* steps;
  size_t step_count;
  const abigen_v1_member* members;
  size_t member_count;
  const abigen_v1_kind* kind;  // NULL for a struct that is no extension.
} abigen_v1_struct;

// The major versions of both sides, and the place where the other side states
// its own.
typedef struct abigen_v1_majors {
  const char* structure;
  const char* member;
  const char* api;
  long core;
  long plugin;
} abigen_v1_majors;

// An entry point.
typedef struct abigen_v1_entry {
  const char* api;
  const char* name;
  int is_optional;  // Whether a library without it is a plugin all the same.
} abigen_v1_entry;

ABIGEN_V1_LOCAL void abigen_v1_start(abigen_v1_reporter* reporter,
                                     abigen_v1_finding_fn report,
                                     void* context);

// Passes a finding on to a reporter, which is the context. Bytes of the message
// that a terminal would not show become escapes.
ABIGEN_V1_LOCAL void abigen_v1_relay(const abigen_v1_finding* finding,
                                     void* context);

// Reports an error that concerns no struct.
ABIGEN_V1_LOCAL void abigen_v1_tell(const char* message,
                                    abigen_v1_reporter* reporter);

// True if any of these members of an object is set. A plugin that does not know
// the object leaves all of it zero.
ABIGEN_V1_LOCAL int abigen_v1_is_given(const void* object, size_t size,
                                       const abigen_v1_place* places,
                                       size_t count);

// Starts a reporter and checks an object, which may be NULL. Returns whether the
// object is large enough for the checks of nested objects to read it.
ABIGEN_V1_LOCAL int abigen_v1_begin(abigen_v1_reporter* reporter,
                                    const abigen_v1_struct* type,
                                    const void* object,
                                    const abigen_v1_condition* conditions,
                                    abigen_v1_finding_fn report, void* context);

// Checks an object that has neither conditions nor nested objects. Returns the
// number of errors.
ABIGEN_V1_LOCAL int abigen_v1_check(const abigen_v1_struct* type,
                                    const void* object,
                                    abigen_v1_finding_fn report, void* context);

// Reports an error if the major versions differ, and states which side is older.
ABIGEN_V1_LOCAL void abigen_v1_compare(const abigen_v1_majors* majors,
                                       abigen_v1_reporter* reporter);

// Reports an error if an object states more bytes than the core has provided: the
// plugin has written beyond its end.
ABIGEN_V1_LOCAL void abigen_v1_check_provided(const char* structure,
                                              const char* member, size_t stated,
                                              size_t provided,
                                              abigen_v1_reporter* reporter);

// Opens a library and stores the address of its entry point in a pointer to a
// function. Returns whether the library has it; reports an error or a warning if
// not. The library stays open in either case.
ABIGEN_V1_LOCAL int abigen_v1_load(const abigen_v1_entry* entry,
                                   const char* path, void** library,
                                   void* function,
                                   abigen_v1_reporter* reporter);

// Does the same in a library that is open already.
ABIGEN_V1_LOCAL int abigen_v1_look_up(const abigen_v1_entry* entry,
                                      void* library, void* function,
                                      abigen_v1_reporter* reporter);

ABIGEN_V1_LOCAL void abigen_v1_close(void* library);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ABIGEN_CHECKS_V1_H_
