#include "abigen/checks_v1.h"

#include <stdio.h>
#include <string.h>

static void* OpenLibrary(const char* path, char* reason, size_t size);
// Stores the address of a function in a pointer to a function. Returns whether
// the library has it.
static int FindFunction(void* library, const char* name, void* function);

// Returns the number of bytes at the beginning of a text that act on a terminal
// or a log and are not shown: control characters, line ends, and marks of
// direction (UTF-8).
static size_t CountHidden(const char* text) {
  const unsigned char* const bytes = (const unsigned char*)text;
  if (bytes[0] < 0x20 || bytes[0] == 0x7f) {
    return 1;
  }
  if ((bytes[0] == 0xc2 && bytes[1] >= 0x80 && bytes[1] <= 0x9f) ||
      (bytes[0] == 0xd8 && bytes[1] == 0x9c)) {
    return 2;
  }
  if (bytes[0] == 0xe2 &&
      ((bytes[1] == 0x80 && (bytes[2] == 0x8e || bytes[2] == 0x8f ||
                             (bytes[2] >= 0xa8 && bytes[2] <= 0xae))) ||
       (bytes[1] == 0x81 && bytes[2] >= 0xa6 && bytes[2] <= 0xa9))) {
    return 3;
  }
  return 0;
}

// Copies a message, parts of which a plugin may have written. Bytes that would
// not be shown become escapes, as \x1b.
static void CopyVisible(char* copy, size_t size, const char* message) {
  static const char digits[] = "0123456789abcdef";
  const char* const end = copy + size - 4;
  size_t hidden = 0;
  for (; *message != '\0' && copy < end; ++message) {
    if (hidden == 0) {
      hidden = CountHidden(message);
    }
    if (hidden > 0) {
      *copy++ = '\\';
      *copy++ = 'x';
      *copy++ = digits[(unsigned char)*message >> 4U];
      *copy++ = digits[(unsigned char)*message & 15U];
      --hidden;
    } else {
      *copy++ = *message;
    }
  }
  *copy = '\0';
}

void abigen_v1_start(abigen_v1_reporter* reporter, abigen_v1_finding_fn report,
                     void* context) {
  reporter->report = report;
  reporter->context = context;
  reporter->errors = 0;
  reporter->first[0] = '\0';
}

void abigen_v1_relay(const abigen_v1_finding* finding, void* context) {
  abigen_v1_reporter* const reporter = (abigen_v1_reporter*)context;
  char message[ABIGEN_V1_MESSAGE_SIZE];
  abigen_v1_finding shown = *finding;
  CopyVisible(message, sizeof(message), finding->message);
  shown.message = message;
  if (finding->is_error && reporter->errors++ == 0) {
    (void)snprintf(reporter->first, sizeof(reporter->first), "%s", message);
  }
  if (reporter->report != NULL) {
    reporter->report(&shown, reporter->context);
  }
}

void abigen_v1_tell(const char* message, abigen_v1_reporter* reporter) {
  const abigen_v1_finding finding = {1, "", "", "", message};
  abigen_v1_relay(&finding, reporter);
}

static int Takes(const abigen_v1_piece* piece, char byte) {
  const unsigned char* range = (const unsigned char*)piece->ranges;
  for (; *range != 0; range += 2) {
    if (range[0] <= (unsigned char)byte && (unsigned char)byte <= range[1]) {
      return 1;
    }
  }
  return 0;
}

// True if the whole text matches. All ways through the pattern are followed at
// once, so the time grows with the length of the text only.
static int Matches(const char* text, const abigen_v1_pattern* pattern) {
  const abigen_v1_piece* const pieces = pattern->pieces;
  unsigned char reached[ABIGEN_V1_MOST_PIECES + 1] = {1};  // May come next.
  size_t at;
  for (;; ++text) {
    int moves_on = 0;  // Whether the piece before has taken the byte.
    for (at = 0; at < pattern->piece_count; ++at) {
      if (reached[at] && pieces[at].is_optional) {
        reached[at + 1] = 1;
      }
    }
    if (*text == '\0') {
      return reached[pattern->piece_count];
    }
    for (at = 0; at < pattern->piece_count; ++at) {
      const int takes = reached[at] && Takes(&pieces[at], *text);
      reached[at] = moves_on || (takes && pieces[at].is_repeated);
      moves_on = takes && !pieces[at].is_repeated;
    }
    reached[pattern->piece_count] = (unsigned char)moves_on;
  }
}

static int IsZero(const unsigned char* bytes, size_t size) {
  size_t at;
  for (at = 0; at < size; ++at) {
    if (bytes[at] != 0) {
      return 0;
    }
  }
  return 1;
}

int abigen_v1_is_given(const void* object, size_t size,
                       const abigen_v1_place* places, size_t count) {
  const unsigned char* const bytes = (const unsigned char*)object;
  size_t at;
  for (at = 0; at < count; ++at) {
    if (places[at].offset + places[at].size <= size &&
        !IsZero(bytes + places[at].offset, places[at].size)) {
      return 1;
    }
  }
  return 0;
}

// Returns the value of an unsigned member.
static size_t ReadSize(const void* object, const abigen_v1_place* place) {
  const unsigned char* const bytes = (const unsigned char*)object + place->offset;
  unsigned long long wide = 0;
  unsigned int middle = 0;
  unsigned short narrow = 0;
  if (place->size == sizeof(wide)) {
    memcpy(&wide, bytes, sizeof(wide));
    return (size_t)wide;
  }
  if (place->size == sizeof(middle)) {
    memcpy(&middle, bytes, sizeof(middle));
    return middle;
  }
  if (place->size == sizeof(narrow)) {
    memcpy(&narrow, bytes, sizeof(narrow));
    return narrow;
  }
  return *bytes;
}

static const void* ReadPointer(const void* object, size_t offset) {
  const void* found = NULL;
  memcpy(&found, (const unsigned char*)object + offset, sizeof(found));
  return found;
}

// Checks that an object can have this size: that of a release, padding counted or
// not, or more than the latest. Sizes between two releases are wrong.
static void CheckSize(const abigen_v1_struct* type, size_t size,
                      abigen_v1_reporter* reporter) {
  const abigen_v1_step* const steps = type->steps;
  const char* const field = type->size_field.name;
  char text[ABIGEN_V1_MESSAGE_SIZE];
  size_t reached = type->step_count;
  abigen_v1_finding finding = {1, type->name, field, "", text};
  while (reached > 0 && size < steps[reached - 1].end) {
    --reached;
  }
  if (reached == 0) {
    finding.release = steps[0].release;
    (void)snprintf(text, sizeof(text),
                   "%s.%s is %zu, but the struct has at least %zu bytes%s%s",
                   type->name, field, size, steps[0].end,
                   *finding.release ? " since " : "", finding.release);
    abigen_v1_relay(&finding, reporter);
  } else if (reached < type->step_count && size > steps[reached].begin) {
    finding.release = steps[reached].release;
    (void)snprintf(text, sizeof(text),
                   "%s.%s is %zu, the size in no release: it is %zu before %s, "
                   "and %zu from there on",
                   type->name, field, size, steps[reached - 1].end,
                   finding.release, steps[reached].end);
    abigen_v1_relay(&finding, reporter);
  }
}

// Checks a chain of extensions: each states its size, and the chain ends.
static void CheckChain(const abigen_v1_chain* chain, const void* first,
                       const char* structure, const char* member,
                       abigen_v1_reporter* reporter) {
  char text[ABIGEN_V1_MESSAGE_SIZE];
  const abigen_v1_finding finding = {1, structure, member, "", text};
  const void* extension = first;
  const void* behind = first;  // Half as fast: is met if there is no end.
  size_t at;
  for (at = 1; extension != NULL; ++at) {
    const size_t size = ReadSize(extension, &chain->size);
    if (size < chain->least) {
      (void)snprintf(text, sizeof(text),
                     "%s.%s: extension %zu has a %s of %zu, but each has at "
                     "least %zu bytes",
                     structure, member, at, chain->size.name, size,
                     chain->least);
      abigen_v1_relay(&finding, reporter);
      return;
    }
    chain->check(extension, reporter);
    extension = ReadPointer(extension, chain->next);
    if (at % 2 == 0) {
      behind = ReadPointer(behind, chain->next);
    }
    if (extension != NULL && extension == behind) {
      (void)snprintf(text, sizeof(text),
                     "%s.%s: the chain of extensions has no end", structure,
                     member);
      abigen_v1_relay(&finding, reporter);
      return;
    }
  }
}

// Checks that a member is set where it is required, and not set where it is
// forbidden.
static void CheckPresence(const abigen_v1_struct* type,
                          const abigen_v1_member* member, int is_zero,
                          const abigen_v1_condition* conditions,
                          abigen_v1_reporter* reporter) {
  char text[ABIGEN_V1_MESSAGE_SIZE];
  const char* const name = member->place.name;
  const char* const since = member->since;
  const abigen_v1_finding finding = {1, type->name, name, since, text};
  int is_required = member->required;
  const char* when = "";
  if (member->required >= 2) {
    is_required = conditions[member->required - 2].holds;
    when = conditions[member->required - 2].text;
  }
  if (is_zero && is_required) {
    (void)snprintf(text, sizeof(text), "%s.%s is %s, but required%s%s%s%s",
                   type->name, name, member->is_pointer ? "NULL" : "0",
                   *since ? " since " : "", since, *when ? " " : "", when);
    abigen_v1_relay(&finding, reporter);
  }
  if (!is_zero && member->forbidden >= 2 &&
      conditions[member->forbidden - 2].holds) {
    (void)snprintf(text, sizeof(text), "%s.%s is set, but may not be%s%s %s",
                   type->name, name, *since ? " since " : "", since,
                   conditions[member->forbidden - 2].text);
    abigen_v1_relay(&finding, reporter);
  }
}

static void CheckPattern(const abigen_v1_struct* type,
                         const abigen_v1_member* member, const char* found,
                         abigen_v1_reporter* reporter) {
  char text[ABIGEN_V1_MESSAGE_SIZE];
  const char* const since = member->since;
  const abigen_v1_finding finding = {1, type->name, member->place.name, since,
                                     text};
  if (!Matches(found, member->pattern)) {
    (void)snprintf(text, sizeof(text),
                   "%s.%s is \"%.100s\", but has to match %s%s%s", type->name,
                   member->place.name, found, member->pattern->text,
                   *since ? " since " : "", since);
    abigen_v1_relay(&finding, reporter);
  }
}

// Warns of a deprecated member. Until it is removed, a plugin that knows the
// replacement sets both, and then there is nothing to report.
static void CheckDeprecated(const abigen_v1_struct* type,
                            const abigen_v1_member* member, const void* object,
                            size_t size, abigen_v1_reporter* reporter) {
  const abigen_v1_place* const successor = &member->successor;
  char text[ABIGEN_V1_MESSAGE_SIZE];
  const abigen_v1_finding finding = {0, type->name, member->place.name,
                                     member->deprecated, text};
  if (successor->size == 0 ||
      (successor->offset + successor->size <= size &&
       IsZero((const unsigned char*)object + successor->offset,
              successor->size))) {
    (void)snprintf(text, sizeof(text), "%s.%s is set, but deprecated%s%s%s%s",
                   type->name, member->place.name,
                   *member->deprecated ? " since " : "", member->deprecated,
                   *member->use ? "; use " : "", member->use);
    abigen_v1_relay(&finding, reporter);
  }
}

static void CheckMember(const abigen_v1_struct* type,
                        const abigen_v1_member* member, const void* object,
                        size_t size, const abigen_v1_condition* conditions,
                        abigen_v1_reporter* reporter) {
  const size_t offset = member->place.offset;
  const int is_zero =
      IsZero((const unsigned char*)object + offset, member->place.size);
  CheckPresence(type, member, is_zero, conditions, reporter);
  if (is_zero) {
    return;
  }
  if (member->pattern != NULL) {
    CheckPattern(type, member, (const char*)ReadPointer(object, offset),
                 reporter);
  }
  if (member->deprecated != NULL) {
    CheckDeprecated(type, member, object, size, reporter);
  }
  if (member->chain != NULL) {
    CheckChain(member->chain, ReadPointer(object, offset), type->name,
               member->place.name, reporter);
  }
}

static void CheckKind(const abigen_v1_struct* type, const void* object,
                      abigen_v1_reporter* reporter) {
  const abigen_v1_place* const place = &type->kind->place;
  char text[ABIGEN_V1_MESSAGE_SIZE];
  const abigen_v1_finding finding = {1, type->name, place->name, "", text};
  if (memcmp((const unsigned char*)object + place->offset, type->kind->value,
             place->size) != 0) {
    (void)snprintf(text, sizeof(text), "%s.%s is not %s", type->name,
                   place->name, type->kind->text);
    abigen_v1_relay(&finding, reporter);
  }
}

int abigen_v1_begin(abigen_v1_reporter* reporter, const abigen_v1_struct* type,
                    const void* object, const abigen_v1_condition* conditions,
                    abigen_v1_finding_fn report, void* context) {
  char text[ABIGEN_V1_MESSAGE_SIZE];
  const abigen_v1_finding missing = {1, type->name, "", "", text};
  size_t size = type->size;
  size_t at;
  abigen_v1_start(reporter, report, context);
  if (object == NULL) {
    (void)snprintf(text, sizeof(text), "there is no %s: it is NULL", type->name);
    abigen_v1_relay(&missing, reporter);
    return 0;
  }
  if (type->size_field.name != NULL) {
    size = ReadSize(object, &type->size_field);
    CheckSize(type, size, reporter);
    if (reporter->errors > 0) {
      return 0;
    }
  }
  for (at = 0; at < type->member_count; ++at) {
    const abigen_v1_member* const member = &type->members[at];
    if (member->place.offset + member->place.size <= size) {
      CheckMember(type, member, object, size, conditions, reporter);
    }
  }
  if (type->kind != NULL) {
    CheckKind(type, object, reporter);
  }
  return 1;
}

int abigen_v1_check(const abigen_v1_struct* type, const void* object,
                    abigen_v1_finding_fn report, void* context) {
  abigen_v1_reporter reporter;
  (void)abigen_v1_begin(&reporter, type, object, NULL, report, context);
  return reporter.errors;
}

void abigen_v1_compare(const abigen_v1_majors* majors,
                       abigen_v1_reporter* reporter) {
  char text[ABIGEN_V1_MESSAGE_SIZE];
  const abigen_v1_finding finding = {1, majors->structure, majors->member, "",
                                     text};
  if (majors->plugin == majors->core) {
    return;
  }
  (void)snprintf(
      text, sizeof(text),
      "the plugin was built with major version %ld of %s, core with %ld: "
      "%s is older and must be updated",
      majors->plugin, majors->api, majors->core,
      majors->plugin < majors->core ? "the plugin" : "core");
  abigen_v1_relay(&finding, reporter);
}

void abigen_v1_check_provided(const char* structure, const char* member,
                              size_t stated, size_t provided,
                              abigen_v1_reporter* reporter) {
  char text[ABIGEN_V1_MESSAGE_SIZE];
  const abigen_v1_finding finding = {1, structure, member, "", text};
  if (stated > provided) {
    (void)snprintf(text, sizeof(text),
                   "%s.%s is %zu, but core has provided %zu bytes: "
                   "the plugin is newer than core and writes behind the end",
                   structure, member, stated, provided);
    abigen_v1_relay(&finding, reporter);
  }
}

// Reports that a library lacks an entry point: a warning if it is optional.
static void TellLacking(const abigen_v1_entry* entry, const char* message,
                        abigen_v1_reporter* reporter) {
  const abigen_v1_finding finding = {!entry->is_optional, "", "", "", message};
  abigen_v1_relay(&finding, reporter);
}

int abigen_v1_load(const abigen_v1_entry* entry, const char* path,
                   void** library, void* function,
                   abigen_v1_reporter* reporter) {
  char text[ABIGEN_V1_MESSAGE_SIZE];
  char reason[ABIGEN_V1_MESSAGE_SIZE / 2] = "";
  *library = NULL;
  if (path == NULL || *path == '\0') {
    abigen_v1_tell("there is no path to load a plugin from", reporter);
    return 0;
  }
  *library = OpenLibrary(path, reason, sizeof(reason));
  if (*library == NULL) {
    (void)snprintf(text, sizeof(text), "cannot load %s: %s", path, reason);
    abigen_v1_tell(text, reporter);
    return 0;
  }
  if (FindFunction(*library, entry->name, function)) {
    return 1;
  }
  (void)snprintf(text, sizeof(text), "%s %s for %s: it exports no %s", path,
                 entry->is_optional ? "has nothing" : "is no plugin",
                 entry->api, entry->name);
  TellLacking(entry, text, reporter);
  return 0;
}

int abigen_v1_look_up(const abigen_v1_entry* entry, void* library,
                      void* function, abigen_v1_reporter* reporter) {
  char text[ABIGEN_V1_MESSAGE_SIZE];
  if (library == NULL) {
    abigen_v1_tell("there is no library to look into", reporter);
    return 0;
  }
  if (FindFunction(library, entry->name, function)) {
    return 1;
  }
  (void)snprintf(text, sizeof(text), "the library exports no %s", entry->name);
  TellLacking(entry, text, reporter);
  return 0;
}

#if defined(_WIN32)

// Included last, because it defines macros that no API has asked for.
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

// Puts the text of an error of the system into a buffer, in UTF-8.
static void Explain(DWORD error, char* text, size_t size) {
  wchar_t wide[ABIGEN_V1_MESSAGE_SIZE / 4];
  const DWORD length = FormatMessageW(
      FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, error,
      0, wide, (DWORD)(sizeof(wide) / sizeof(wide[0])), NULL);
  int used = 0;
  if (length > 0) {
    used = WideCharToMultiByte(CP_UTF8, 0, wide, (int)length, text,
                               (int)size - 1, NULL, NULL);
  }
  while (used > 0 && strchr(" .\r\n", text[used - 1]) != NULL) {
    --used;
  }
  text[used] = '\0';
  if (used == 0) {
    (void)snprintf(text, size, "error %lu", (unsigned long)error);
  }
}

// Loads a library. Given with its folder, it finds others that it needs beside
// itself; given by its name alone, it is looked for where the system looks.
static HMODULE LoadWide(const wchar_t* path) {
  HMODULE module = NULL;
  DWORD size = 0;
  wchar_t* whole = NULL;
  if (wcspbrk(path, L"/\\:") == NULL) {
    return LoadLibraryExW(path, NULL, 0);
  }
  size = GetFullPathNameW(path, 0, NULL, NULL);
  whole = (wchar_t*)calloc((size_t)size + 1, sizeof(*whole));
  if (whole != NULL && GetFullPathNameW(path, size, whole, NULL) > 0) {
    module = LoadLibraryExW(whole, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
  }
  free(whole);
  return module;
}

// Opens a library by its path in UTF-8. Returns NULL on failure, with the reason.
static void* OpenLibrary(const char* path, char* reason, size_t size) {
  const int length = MultiByteToWideChar(CP_UTF8, 0, path, -1, NULL, 0);
  wchar_t* const wide = (wchar_t*)calloc((size_t)length + 1, sizeof(*wide));
  DWORD error = ERROR_NOT_ENOUGH_MEMORY;
  UINT mode = 0;
  HMODULE module = NULL;
  if (wide != NULL) {
    (void)MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, length);
    mode = SetErrorMode(SEM_FAILCRITICALERRORS);  // No window opens.
    module = LoadWide(wide);
    error = GetLastError();
    (void)SetErrorMode(mode);
    free(wide);
  }
  if (module == NULL) {
    Explain(error, reason, size);
  }
  return (void*)module;
}

static int FindFunction(void* library, const char* name, void* function) {
  const FARPROC found = GetProcAddress((HMODULE)library, name);
  memcpy(function, &found, sizeof(found));
  return found != NULL;
}

void abigen_v1_close(void* library) { (void)FreeLibrary((HMODULE)library); }

#else

#include <dlfcn.h>

// Opens a library by its path. Returns NULL on failure, with the reason.
static void* OpenLibrary(const char* path, char* reason, size_t size) {
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const char* error = handle == NULL ? dlerror() : NULL;
  const size_t length = strlen(path);
  if (handle == NULL && error == NULL) {
    error = "unknown error";
  } else if (handle == NULL && strncmp(error, path, length) == 0 &&
             strncmp(error + length, ": ", 2) == 0) {
    error += length + 2;
  }
  (void)snprintf(reason, size, "%s", handle == NULL ? error : "");
  return handle;
}

static int FindFunction(void* library, const char* name, void* function) {
  void* const found = dlsym(library, name);
  memcpy(function, &found, sizeof(found));
  return found != NULL;
}

void abigen_v1_close(void* library) { (void)dlclose(library); }

#endif
