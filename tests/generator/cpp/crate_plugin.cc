// An API whose status is a plain struct: calls take it as their last argument, and callbacks throw into it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "crate.hpp"

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (false)

struct crate {
  int32_t size;
};

extern "C" {
crate_t* crate_new(int32_t size, crate_status_t* status) {
  crate_status_set(status, size < 0 ? CRATE_BAD : CRATE_OK, size < 0 ? "too small" : "");
  return size < 0 ? nullptr : new crate{size};
}
void crate_delete(crate_t* crate) { delete crate; }
int32_t crate_size(const crate_t* crate) { return crate->size; }
void crate_fill(crate_t* crate, const uint8_t* bytes, size_t bytes_size, crate_status_t* status) {
  crate->size -= static_cast<int32_t>(bytes_size);
  const bool fits = crate->size >= 0 && (bytes != nullptr || bytes_size == 0);
  crate_status_set(status, fits ? CRATE_OK : CRATE_BAD, fits ? "" : "full");
}
void crate_status_set(crate_status_t* status, crate_code_t code, const char* message) {
  status->code = code;
  std::strncpy(status->message, message, sizeof(status->message) - 1);
}
crate_code_t crate_status_code(const crate_status_t* status) { return status->code; }
const char* crate_status_message(const crate_status_t* status) { return status->message; }
}

namespace {

struct Ops : crate_api::OpsFns<Ops> {
  int32_t factor = 3;
  static Ops& Self(void* self) { return *static_cast<Ops*>(self); }
  int32_t pack(void*, const crate_t* crate) { return factor * crate_size(crate); }
  static void unpack(void*, crate_api::CrateRef, crate_api::StatusRef status) {
    status.set(CRATE_OK, "");
    throw std::runtime_error("stuck");
  }
};

}  // namespace

int main() {
  crate_status_t status = {};
  auto made = crate_api::Crate::new_(8, &status);
  CHECK(made.ok() && made->size() == 8);
  crate_api::Crate box = *std::move(made);
  CHECK(box.fill(std::vector<uint8_t>{1, 2, 3}, &status).ok() && box.size() == 5);
  CHECK(!box.fill(std::vector<uint8_t>(9), &status).ok());
  CHECK(std::strcmp(status.message, "full") == 0);
  const auto none = crate_api::Crate::new_(-1, &status);
  CHECK(!none.ok() && !*none);

  Ops object;
  crate_ops_t ops = {};
  Ops::Fill(&ops);
  crate_t plain = {2};
  CHECK(ops.pack(&object, &plain, &status) == 6 && status.code == CRATE_OK);
  ops.unpack(&object, &plain, &status);
  CHECK(status.code == CRATE_BAD && std::strcmp(status.message, "stuck") == 0);
  std::puts("all is well");
  return 0;
}
