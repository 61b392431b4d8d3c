// Memory, lists, and the end of the process.

#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

void Die(const char* function, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s: ", function);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  fflush(stderr);
  abort();
}

void* Allocate(size_t size) {
  void* memory = malloc(size ? size : 1);
  if (memory == NULL) {
    Die("malloc", "no memory for %zu bytes", size);
  }
  return memory;
}

void* AllocateZeroed(size_t count, size_t size) {
  void* memory = calloc(count ? count : 1, size);
  if (memory == NULL) {
    Die("calloc", "no memory for %zu times %zu bytes", count, size);
  }
  return memory;
}

char* CopyText(const char* text) {
  size_t size = strlen(text) + 1;
  return memcpy(Allocate(size), text, size);
}

void ListAdd(List* list, void* item) {
  if (list->size == list->room) {
    size_t room = list->room ? 2 * list->room : 4;
    void** items = Allocate(room * sizeof(void*));
    if (list->size) {
      memcpy(items, list->items, list->size * sizeof(void*));
    }
    free(list->items);
    list->items = items;
    list->room = room;
  }
  list->items[list->size++] = item;
}

void ListDelete(List* list, void (*delete_item)(void*)) {
  for (size_t i = 0; i < list->size; ++i) {
    delete_item(list->items[i]);
  }
  free(list->items);
}
