/* A core that loads lamps: each argument is the path of a plugin, `-` stands for no path at all.
   cc -I <out>/c -I <out>/c-checks tests/emit_checks/lamp_core.c <out>/c-checks/lamp/lamp_checks.c
   <out>/c-checks/abigen/checks_v1.c -ldl -o core */
#include <stdio.h>
#include <string.h>

#include "lamp/lamp_asserts.h"
#include "lamp/lamp_checks.h"

static void show(const LAMP_Finding* finding, void* context) {
  ++*(int*)context;
  printf("%s [%s.%s %s]: %s\n", finding->is_error ? "error" : "warning", finding->structure, finding->member,
         finding->release, finding->message);
}

int main(int argc, char** argv) {
  int at;
  for (at = 1; at < argc; ++at) {
    Lamp_Start_Library library;
    int told = 0;
    int errors;
    Lamp_Start_Prepare(&library);
    errors = Lamp_Start_Load(&library, strcmp(argv[at], "-") == 0 ? NULL : argv[at], show, &told);
    if (errors > told) {
      return 3;
    }
    if (errors == 0) {
      printf("%s gives %d\n", library.lamp.name, library.lamp.switch_on());
    } else if (library.handle != NULL) {
      return 4;
    }
    Lamp_Start_Unload(&library);
    Lamp_Start_Unload(&library);
    /* Nobody has to listen. */
    Lamp_Start_Prepare(&library);
    if (Lamp_Start_Load(&library, strcmp(argv[at], "-") == 0 ? NULL : argv[at], NULL, NULL) != errors) {
      return 5;
    }
    Lamp_Start_Unload(&library);
  }
  return 0;
}
