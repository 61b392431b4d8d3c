// What a core and a plugin of `abigen skew` share: they are compiled from
// headers of different releases, fill and read what crosses between them, and
// compare it with what the other side has written.
//
// Whatever a side writes follows from the name of where it writes it, so the
// other side knows what to expect without being told. What each side knows
// besides its header (the names of all its members, whether a pointer leads to
// an object) is handed over beside the API, in a Skew_Side and a Skew_Link.

#ifndef ABIGEN_SKEW_H_
#define ABIGEN_SKEW_H_

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <malloc.h>
#include <windows.h>
#define SKEW_EXPORT __declspec(dllexport)
#else
#include <dlfcn.h>
#define SKEW_EXPORT __attribute__((visibility("default")))
#endif

enum { SKEW_ELEMENTS = 3, SKEW_DEPTH = 4, SKEW_MOST_BREAKS = 20, SKEW_MOST_OBJECTS = 65536 };

// An enumerator or another constant as a side was compiled with it.
typedef struct Skew_Constant {
  const char* name;
  long long value;
} Skew_Constant;

// The name of something that crosses. Its tag is what the API's marks make of it:
// "count", "version", "zero", "entry"; of pointers "KIND:COUNT".
typedef struct Skew_Key {
  const char* name;
  const char* tag;
} Skew_Key;

// What a side knows, from its header.
typedef struct Skew_Side {
  const char* name;          // "core" or "plugin"
  int number;                // Of the release: later ones have higher numbers.
  const Skew_Key* keys;      // Of all that it fills or reads; the last has no name.
  const Skew_Constant* constants;  // Ends with a name that is NULL.
} Skew_Side;

// What core gives the plugin to work with.
typedef struct Skew_Link {
  const Skew_Side* core;
  const Skew_Side* plugin;
  void (*tell)(const char* line);  // Writes a line of the report.
  void* (*find)(const char* name);  // A function of core; NULL for none.
  const char* calling;              // The key of the callback that is being called.
  char doing[256];                  // What is being done, for sanitizers.
  struct {
    const void* begin;
    const char* key;  // Of what points there.
  } objects[SKEW_MOST_OBJECTS];  // Whatever pointers may lead to.
  int object_count;
  int breaks;
} Skew_Link;

static Skew_Link* skew_link;
static const Skew_Side* skew_me;
static const Skew_Side* skew_other;

// ---- telling

static void skew_tell(const char* kind, const char* key, const char* text) {
  char line[1600];
  (void)snprintf(line, sizeof(line), "%s\t%s\t%s\t%s", kind, skew_me->name, key, text);
  skew_link->tell(line);
}

static unsigned skew_line;  // Of this program, where something is looked at.

static void skew_break_at(const char* kind, const char* key, const char* text) {
  char line[800];
  (void)snprintf(line, sizeof(line), "%s\t%u", text, skew_line);
  if (skew_link->breaks++ < SKEW_MOST_BREAKS) {
    skew_tell(kind, key, line);
  }
}

#define skew_break(key, text) (skew_line = __LINE__, skew_break_at("breaks", key, text))

static void skew_doing(const char* verb, const char* key) {
  (void)snprintf(skew_link->doing, sizeof(skew_link->doing), "%s\t%s\t%s", skew_me->name, key, verb);
}

// The tag of a key; NULL where the side does not know it.
static const char* skew_tag(const Skew_Side* side, const char* key) {
  const Skew_Key* each = side->keys;
  while (each->name != NULL && strcmp(each->name, key) != 0) {
    ++each;
  }
  return each->tag;
}

static int skew_knows(const char* key) { return skew_tag(skew_other, key) != NULL; }

// Whether both sides make the same of what crosses. What only one of them has
// marks for, as a count, is not what the other one writes there.
static int skew_agrees(const char* key) {
  const char* const mine = skew_tag(skew_me, key);
  const char* const theirs = skew_tag(skew_other, key);
  if (mine == NULL || theirs == NULL || strcmp(mine, theirs) == 0) {
    return 1;
  }
  return strchr(mine, ':') != NULL ? strncmp(mine, "token", 5) != 0 && strncmp(theirs, "token", 5) != 0 && strcmp(theirs, "zero") != 0
                                   : *mine == '\0' && *theirs == '\0';
}

// How many elements both sides know of.
static int skew_count(const char* key) {
  const char* const mine = skew_tag(skew_me, key);
  const char* const theirs = skew_tag(skew_other, key);
  return mine != NULL && theirs != NULL && strcmp(mine, theirs) == 0 ? SKEW_ELEMENTS : 1;
}

// ---- what is written

static uint32_t skew_mix(uint32_t salt, const char* text) {
  uint32_t hash = 2166136261u ^ salt;
  for (; *text != '\0'; ++text) {
    hash = (hash ^ (unsigned char)*text) * 16777619u;
  }
  return hash ^ (hash >> 15);
}

static uint32_t skew_number(uint32_t salt, unsigned at) {
  return skew_mix(salt * 2654435761u + at * 40503u, "");
}

enum Skew_Kind { SKEW_BYTES, SKEW_TRUTH, SKEW_ZERO };

// The bytes that stand in a scalar: none of them is 0 or negative. A scalar of
// another size has others.
static void skew_make(void* to, size_t size, enum Skew_Kind kind, const char* key, uint32_t salt) {
  unsigned char* const bytes = (unsigned char*)to;
  const uint32_t seed = skew_mix(salt + (uint32_t)size * 977u, key);
  size_t at;
  for (at = 0; at < size; ++at) {
    bytes[at] = (unsigned char)(kind == SKEW_BYTES ? 1 + skew_number(seed, (unsigned)at) % 0x7d : 0);
  }
  if (kind == SKEW_TRUTH) {
    const _Bool yes = 1;
    memcpy(to, &yes, size < sizeof(yes) ? size : sizeof(yes));
  }
}

static double skew_floating(const char* key, uint32_t salt) { return 1 + skew_mix(salt, key) % 2000 / 2; }

static unsigned long long skew_bits(const char* key, uint32_t salt, unsigned width) {
  const unsigned long long number = skew_mix(salt, key);
  return width < 2 ? width : 1 + number % ((1ull << ((width > 32 ? 32 : width) - 1)) - (width > 2));
}

static void skew_put(void* to, size_t size, enum Skew_Kind kind, const char* key, uint32_t salt) {
  unsigned char made[64];
  skew_doing("writes", key);
  skew_make(made, size < sizeof(made) ? size : sizeof(made), kind, key, salt);
  memcpy(to, made, size < sizeof(made) ? size : sizeof(made));
}

static void skew_put_pointer(void* to, const void* pointer, const char* key) {
  skew_doing("writes", key);
  memcpy(to, &pointer, sizeof(pointer));
}

// ---- objects

// What points to an object; NULL where there is none.
static const char* skew_object(const void* pointer) {
  int at;
  for (at = 0; at < skew_link->object_count; ++at) {
    if (skew_link->objects[at].begin == pointer) {
      return skew_link->objects[at].key;
    }
  }
  return NULL;
}

static int skew_is_object(const void* pointer) { return skew_object(pointer) != NULL; }

static void skew_register(const void* begin, const char* key) {
  if (!skew_is_object(begin)) {
    if (skew_link->object_count >= SKEW_MOST_OBJECTS) {
      abort();
    }
    skew_link->objects[skew_link->object_count].begin = begin;
    skew_link->objects[skew_link->object_count++].key = key;
  }
}

// Memory for objects, so that whatever touches a byte behind it is seen.
static void* skew_new(size_t size, size_t alignment, const char* key) {
#if defined(_WIN32)
  void* const made = _aligned_malloc(size, alignment);
#else
  void* const made = alignment <= 2 * sizeof(void*) ? malloc(size) : aligned_alloc(alignment, size);
#endif
  if (made == NULL) {
    abort();
  }
  memset(made, 0, size);
  skew_register(made, key);
  return made;
}

// ---- what is read

typedef struct Skew_Place {
  const char* key;    // `SP_Device.ordinal`
  long offset;        // In its struct; -1 outside of structs.
  unsigned line;      // In this program.
} Skew_Place;

static void skew_spell(char* text, size_t room, const unsigned char* bytes, size_t size) {
  size_t at;
  text[0] = '\0';
  for (at = 0; at < size && at < 16 && (at + 1) * 3 < room; ++at) {
    (void)snprintf(text + at * 3, room - at * 3, "%02x ", bytes[at]);
  }
  if (text[0] != '\0') {
    text[strlen(text) - 1] = '\0';
  }
}

// The key under which such bytes were written; "" for none.
static const char* skew_owner(const unsigned char* bytes, size_t size, uint32_t salt) {
  unsigned char made[64];
  const Skew_Key* key;
  for (key = skew_other->keys; key->name != NULL && size >= 4 && size <= sizeof(made); ++key) {
    skew_make(made, size, SKEW_BYTES, key->name, salt);
    if (memcmp(made, bytes, size) == 0) {
      return key->name;
    }
  }
  return "";
}

static void skew_differs(Skew_Place place, const void* found, const void* wanted, size_t size, uint32_t salt) {
  const char* owner = skew_owner((const unsigned char*)found, size, salt);
  char is[64];
  char was[64];
  char text[600];
  if (!skew_agrees(place.key)) {
    return;
  }
  skew_spell(is, sizeof(is), (const unsigned char*)found, size);
  skew_spell(was, sizeof(was), (const unsigned char*)wanted, size);
  if (size == sizeof(void*)) {
    const void* pointer = NULL;
    memcpy(&pointer, found, sizeof(pointer));
    if (skew_is_object(pointer)) {
      owner = skew_object(pointer);
      (void)snprintf(is, sizeof(is), "an address");
    }
  }
  (void)snprintf(text, sizeof(text), "%ld\t%lu\t%s\t%s\t%s\t%u", place.offset, (unsigned long)size, is,
                 skew_knows(place.key) ? was : "", owner, place.line);
  if (skew_link->breaks++ < SKEW_MOST_BREAKS) {
    skew_tell("differs", place.key, text);
  }
}

// Compares what is there with what the other side has to have written: nothing,
// where it does not know the place.
static void skew_expect(Skew_Place place, const void* from, size_t size, enum Skew_Kind kind, uint32_t salt) {
  unsigned char found[64];
  unsigned char wanted[64];
  size = size < sizeof(found) ? size : sizeof(found);
  skew_doing("reads", place.key);
  memcpy(found, from, size);
  skew_make(wanted, size, skew_knows(place.key) ? kind : SKEW_ZERO, place.key, salt);
  if (memcmp(found, wanted, size) != 0) {
    skew_differs(place, found, wanted, size, salt);
  }
}

static void skew_expect_number(Skew_Place place, long long found, long long wanted, size_t size, uint32_t salt) {
  wanted = skew_knows(place.key) ? wanted : 0;
  if (found != wanted) {
    skew_differs(place, &found, &wanted, size < sizeof(found) ? size : sizeof(found), salt);
  }
}

// A pointer that leads nowhere, or that the other side cannot have set.
static void skew_misleads(Skew_Place place, const void* pointer) {
  const char* const owner = skew_object(pointer);
  char text[400];
  char is[64] = "an address";
  if (owner == NULL) {
    skew_spell(is, sizeof(is), (const unsigned char*)&pointer, sizeof(pointer));
  }
  (void)snprintf(text, sizeof(text), "%ld\t%lu\t%s\t%s\t%s\t%u", place.offset, (unsigned long)sizeof(pointer), is,
                 skew_knows(place.key) ? "an address" : "", owner == NULL ? skew_owner((const unsigned char*)&pointer, sizeof(pointer), 0) : owner, place.line);
  if (skew_link->breaks++ < SKEW_MOST_BREAKS) {
    skew_tell("differs", place.key, text);
  }
}

// Whether a pointer that the other side has set leads to what belongs there.
// `wanted` is the key of that: of the place itself, or of a struct. `texts` are
// those that it may be, one a line; NULL for what is no text.
static int skew_leads(Skew_Place place, const void* pointer, int is_filled, const char* wanted, const char* texts) {
  const char* const key = skew_object(pointer);
  const char* const mine = skew_tag(skew_me, place.key);
  const char* const theirs = skew_tag(skew_other, place.key);
  if (is_filled && mine != NULL && theirs != NULL && strchr(mine, ':') != NULL && strchr(theirs, ':') != NULL &&
      strchr(mine, ':')[1] != '\0' && strchr(theirs, ':')[1] != '\0' && strcmp(strchr(mine, ':'), strchr(theirs, ':')) != 0) {
    skew_line = place.line;
    skew_break_at("breaks", place.key, "the sides do not agree about what counts its elements");
  }
  if (!skew_agrees(place.key)) {
    return 0;
  }
  skew_doing("reads", place.key);
  if (pointer == NULL) {
    if (is_filled && skew_knows(place.key)) {
      skew_line = place.line;
      skew_break_at("breaks", place.key, "it is NULL, although the other side has set it");
    }
    return 0;
  }
  if (key == NULL || strcmp(key, wanted) != 0 || (is_filled && !skew_knows(place.key))) {
    skew_misleads(place, pointer);
    return 0;
  }
  if (texts != NULL) {
    const char* const text = (const char*)pointer;
    const size_t length = strlen(text);
    for (; texts != NULL; texts = strchr(texts, '\n') != NULL ? strchr(texts, '\n') + 1 : NULL) {
      if (strncmp(texts, text, length) == 0 && (texts[length] == '\n' || texts[length] == '\0')) {
        return 1;
      }
    }
    skew_line = place.line;
    skew_break_at("breaks", place.key, "it leads to another text");
  }
  return 1;
}

// ---- calls

static const char* skew_call(const char* key) {
  const char* const outer = skew_link->calling;
  skew_link->calling = key;
  skew_tell("calls", key, "");
  skew_doing("calls", key);
  return outer;
}

// Whether this side's function is the one that the other side means to call.
static int skew_is_called_at(unsigned line, const char* key) {
  skew_line = line;
  if (skew_link->calling == NULL) {
    return 0;  // A generated loader frees what a refusal or its end leaves behind.
  }
  if (strcmp(skew_link->calling, key) == 0) {
    return 1;
  }
  skew_break_at("reaches", key, skew_link->calling);
  return 0;
}

#define skew_is_called(key) skew_is_called_at(__LINE__, key)

// Whether both sides have a parameter; one that only one of them has makes the
// call another than the function.
static int skew_has_parameter_at(unsigned line, const char* key) {
  skew_line = line;
  if (!skew_knows(key)) {
    skew_break_at("breaks", key, "the other side has no such parameter");
    return 0;
  }
  return 1;
}

#define skew_has_parameter(key) skew_has_parameter_at(__LINE__, key)

static void skew_compare_constants(void) {
  const Skew_Constant* own = skew_me->constants;
  const Skew_Constant* theirs = NULL;
  char text[200];
  for (; own->name != NULL; ++own) {
    for (theirs = skew_other->constants; theirs->name != NULL; ++theirs) {
      if (strcmp(own->name, theirs->name) == 0 && own->value != theirs->value) {
        (void)snprintf(text, sizeof(text), "it is %lld for the %s, and %lld for the %s", own->value, skew_me->name,
                       theirs->value, skew_other->name);
        skew_break(own->name, text);
      }
    }
  }
}

// Where a member ends, and whether an object of a stated size reaches that far.
#define SKEW_END(object, member) \
  ((size_t)((const char*)&(object)->member - (const char*)(object)) + sizeof((object)->member))
#define SKEW_OFFSET(object, member) ((long)((const char*)&(object)->member - (const char*)(object)))
#define SKEW_PLACE(key, offset) ((Skew_Place){key, offset, __LINE__})

#endif  // ABIGEN_SKEW_H_
