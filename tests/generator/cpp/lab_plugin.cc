// Everything that the generated layer can do, against a core in C.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "lab_core.h"

struct LP_Sample_st {
  int32_t kind;
};

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);     \
      std::exit(1);                                                            \
    }                                                                          \
  } while (false)

namespace {

// ---- tables of functions

// Static functions, one of each kind: a status that is returned, one that is taken, and handles as classes or as in C.
struct Plain : lab::BenchFns<Plain> {
  static lab::Status create_sample(const LP_Bench*, int32_t kind, LP_Sample* sample) {
    if (kind < 0) {
      return lab::Status(LAB_BAD_ARGUMENT, "no such kind");
    }
    *sample = new LP_Sample_st{kind};
    return {};
  }
  static void destroy_sample(const LP_Bench*, lab::SampleRef sample) { delete sample.get(); }
  static double weigh(const LP_Bench*, LP_Sample sample, lab::StatusRef status) {
    status.set(LAB_OK, "");
    return sample->kind * 2.5;
  }
};

// Functions of an object, and all of them.
struct Shaking : lab::BenchFns<Shaking> {
  int shakes = 0;
  static Shaking& Self(const LP_Bench* bench) { return *static_cast<Shaking*>(bench->state); }
  void create_sample(const LP_Bench*, int32_t kind, LP_Sample* sample) { *sample = new LP_Sample_st{kind}; }
  void destroy_sample(const LP_Bench*, LP_Sample sample) { delete sample; }
  abigen::StatusOr<double, lab::Status> weigh(const LP_Bench*, LP_Sample sample) {
    return {sample->kind * 10.0, lab::Status()};
  }
  int32_t temperature(const LP_Bench*) { return 5; }
  lab::Status shake(const LP_Bench*, LP_Sample) {
    ++shakes;
    return {};
  }
};

// Throws whatever it is told to.
struct Throwing : lab::BenchFns<Throwing> {
  static inline int what = 0;
  static void create_sample(const LP_Bench*, int32_t, LP_Sample*) {
    switch (what) {
      case 0:
        throw std::runtime_error("it broke");
      case 1:
        throw std::bad_alloc();
      case 2:
        throw std::invalid_argument("not that");
      case 3:
        throw lab::StatusError(LAB_BAD_STATE, "not now");
      case 4:
        lab::Status(LAB_BAD_ARGUMENT, "as it was").OrThrow();
        break;
      default:
        throw 42;
    }
  }
  static void destroy_sample(const LP_Bench*, LP_Sample) {}
  static double weigh(const LP_Bench*, LP_Sample) { throw std::runtime_error("too heavy"); }
  static int32_t temperature(const LP_Bench*) { throw std::runtime_error("nobody hears this"); }
  static LAB_Code grade(const LP_Bench*) { throw std::runtime_error("not even this"); }
};

// What cannot be reported becomes what the class says, or what is known to mean failure.
struct Falling : lab::BenchFns<Falling> {
  static inline std::string heard;
  template <class R>
  static R OnException() {
    try {
      throw;
    } catch (const std::exception& error) {
      heard = error.what();
    }
    return R(-1);
  }
  static void create_sample(const LP_Bench*, int32_t, LP_Sample*) {}
  static void destroy_sample(const LP_Bench*, LP_Sample) {}
  static double weigh(const LP_Bench*, LP_Sample) { return 0; }
  static int32_t temperature(const LP_Bench*) { throw std::runtime_error("too cold"); }
};

// A final class, and functions that are overloaded or templates.
struct Final final : lab::BenchFns<Final> {
  template <class Sample>
  static void create_sample(const LP_Bench*, int32_t, Sample* sample) {
    *sample = nullptr;
  }
  static void destroy_sample(const LP_Bench*, lab::SampleRef) {}
  static double weigh(const LP_Bench*, LP_Sample) { return 1; }
  static double weigh(const LP_Bench*) { return 2; }
};

void TestTables() {
  lab::Status status;
  LP_Bench bench = {};
  LP_BenchFns fns = {};
  CHECK(Plain::Fill(&fns, sizeof(fns)) == LP_BENCH_FNS_STRUCT_SIZE);
  CHECK(fns.struct_size == LP_BENCH_FNS_STRUCT_SIZE);
  CHECK(fns.temperature == nullptr && fns.shake == nullptr);
  CHECK(Lab_UseBench(&fns, &bench, status.get()) == 7.5);
  CHECK(status.ok());
  fns.create_sample(&bench, -1, nullptr, status.get());
  CHECK(status.code() == LAB_BAD_ARGUMENT && std::string(status.message()) == "no such kind");

  Shaking object;
  bench.state = &object;
  fns.struct_size = sizeof(fns);
  CHECK(Shaking::Fill(&fns) == LP_BENCH_FNS_STRUCT_SIZE);
  CHECK(Lab_UseBench(&fns, &bench, status.get()) == 35);
  CHECK(object.shakes == 1 && status.ok());
}

// A core of 1.0.0 allocates less: no byte beyond that is written.
void TestOlderCore() {
  const std::size_t allocated = LP_BENCH_FNS_STRUCT_SIZE_1_0_0;
  std::unique_ptr<unsigned char, void (*)(void*)> memory(static_cast<unsigned char*>(std::malloc(allocated)), std::free);
  LP_BenchFns* fns = reinterpret_cast<LP_BenchFns*>(memory.get());
  fns->struct_size = allocated;
  CHECK(Shaking::Fill(fns) == allocated);
  CHECK(fns->struct_size == allocated);
  Shaking object;
  LP_Bench bench = {};
  bench.state = &object;
  lab::Status status;
  CHECK(Lab_UseBench(fns, &bench, status.get()) == 35);
  CHECK(object.shakes == 0);
  std::size_t tiny = 0;
  CHECK(Shaking::Fill(reinterpret_cast<LP_BenchFns*>(&tiny), 4) == 0);
  CHECK(tiny == 0);
}

void TestExceptions() {
  LP_Bench bench = {};
  LP_BenchFns fns = {};
  Throwing::Fill(&fns, sizeof(fns));
  lab::Status status;
  const struct {
    LAB_Code code;
    const char* message;
  } expected[] = {
      {LAB_BUG, "it broke"},       {LAB_NO_MEMORY, std::bad_alloc().what()},
      {LAB_BAD_ARGUMENT, "not that"}, {LAB_BAD_STATE, "not now"},
      {LAB_BAD_ARGUMENT, "as it was"}, {LAB_BUG, "an exception of an unknown type"},
  };
  for (const auto& each : expected) {
    CHECK(Lab_UseBench(&fns, &bench, status.get()) == -1);
    CHECK(status.code() == each.code);
    CHECK(std::string(status.message()) == each.message);
    ++Throwing::what;
  }
  CHECK(fns.weigh(&bench, nullptr, status.get()) == 0);
  CHECK(status.code() == LAB_BUG && std::string(status.message()) == "too heavy");
  CHECK(fns.temperature(&bench) == 0);
  CHECK(fns.grade(&bench) == LAB_BUG);
  CHECK(LAB_AnswerPlugin(0) == 0 && LAB_AnswerPlugin(1) == 5 && LAB_AnswerPlugin(2) == 1);

  Falling::Fill(&fns, sizeof(fns));
  CHECK(fns.temperature(&bench) == -1 && Falling::heard == "too cold");

  Final::Fill(&fns, sizeof(fns));
  CHECK(fns.weigh(&bench, nullptr, status.get()) == 1 && status.ok());
}

void TestRegistration() {
  struct Leaving : lab::RegistrationFns<Leaving> {
    static void leave(LP_BenchFns*) {}
  };
  LP_BenchFns fns = {};
  LAB_Registration registration = LAB_REGISTRATION_INITIALIZER;
  registration.number = 4;
  registration.fns = &fns;
  CHECK(Leaving::Fill(&registration) == LAB_REGISTRATION_STRUCT_SIZE);
  CHECK(registration.leave != nullptr && registration.number == 4 && registration.fns == &fns);
}

// One class for two tables.
struct Two : lab::BenchFns<Two>, lab::RegistrationFns<Two> {
  static lab::Status create_sample(const LP_Bench*, int32_t, LP_Sample*) { return {}; }
  static void destroy_sample(const LP_Bench*, LP_Sample) {}
  static double weigh(const LP_Bench*, LP_Sample) { return 0; }
  static void leave(LP_BenchFns*) {}
};

void TestTwoTables() {
  LP_BenchFns fns = {};
  CHECK(lab::BenchFns<Two>::Fill(&fns, sizeof(fns)) != 0 && fns.weigh != nullptr);
  LAB_Registration registration = LAB_REGISTRATION_INITIALIZER;
  CHECK(lab::RegistrationFns<Two>::Fill(&registration) != 0 && registration.leave != nullptr);
}

int Answer(int question) {
  if (question == 2) {
    throw std::runtime_error("do not ask");
  }
  return question == 0 ? 0 : 5;
}

lab::Status Register(LAB_Registration* registration) {
  if (registration->number < 0) {
    throw std::runtime_error("no number");
  }
  Plain::Fill(registration->fns);
  return {};
}

void TestEntryPoint() {
  LP_BenchFns fns = {};
  fns.struct_size = sizeof(fns);
  LAB_Registration registration = LAB_REGISTRATION_INITIALIZER;
  registration.fns = &fns;
  lab::Status status(LAB_BUG, "not called");
  LAB_InitPlugin(&registration, status.get());
  CHECK(status.ok() && fns.weigh != nullptr);
  registration.number = -1;
  LAB_InitPlugin(&registration, status.get());
  CHECK(status.code() == LAB_BUG && std::string(status.message()) == "no number");
}

// What the functions of a bench make is destroyed by them.
void TestSamples() {
  LP_Bench bench = {};
  LP_BenchFns fns = {};
  Plain::Fill(&fns, sizeof(fns));
  {
    lab::Status status;
    auto made = lab::Sample::Create(&fns, &bench, 3, status);
    CHECK(made.ok() && made->get()->kind == 3);
    lab::Sample sample = *std::move(made);
    sample = lab::Sample::Create(&fns, &bench, 4).OrThrow();
    CHECK(sample && sample.get()->kind == 4);
    lab::SampleRef borrowed = sample;
    CHECK(fns.weigh(&bench, borrowed.get(), status.get()) == 10);
    const auto none = lab::Sample::Create(&fns, &bench, -1);
    CHECK(!none.ok() && !*none);
  }
}

// ---- handles

void TestHandles() {
  CHECK(lab::Probes() == 0);
  {
    lab::Probe probe = lab::Probe::New("first");
    CHECK(probe && std::string(probe.Name()) == "first");
    CHECK(probe.Rename("second").ok());
    const lab::Status bad = probe.Rename("");
    CHECK(bad.code() == LAB_BAD_ARGUMENT && std::string(bad.message()) == "no name");
    lab::Status status;
    CHECK(!probe.Rename("", status).ok() && !status.ok());

    lab::Probe moved = std::move(probe);
    CHECK(!probe && moved);
    lab::ProbeRef borrowed = moved;
    CHECK(borrowed.get() == moved.get() && borrowed == moved && borrowed != probe);
    CHECK(moved.Calibrate({1, 2, 3}).ok());
    CHECK(moved.Calibrate(std::vector<double>{4}).ok());
    CHECK(moved.Calibrate(std::array<double, 2>{5, 6}).ok());
    const double more[] = {7};
    CHECK(moved.Calibrate(more).ok());
    CHECK(!moved.Calibrate({}).ok());
    CHECK(!moved.Calibrate({nullptr, 0}).ok());
    try {
      static_cast<void>(moved.Calibrate({static_cast<const double*>(nullptr), 2}));
      CHECK(false);
    } catch (const std::invalid_argument& refused) {
      CHECK(std::string(refused.what()) == "a span of NULL has elements");
    }
    CHECK(*moved.Last() == 28);
    const auto [value, error] = *moved.Read();
    CHECK(value == 28 && error == 1);
    std::array<std::byte, 4> bytes = {};
    CHECK(moved.Store(bytes) == 4 && bytes[0] == std::byte{28});

    auto found = lab::FindProbe("other");
    CHECK(found.ok() && std::string(found->Name()) == "other");
    CHECK(lab::Probes() == 2);
    CHECK(moved.Join(*std::move(found)).ok());
    CHECK(lab::Probes() == 1);
    const auto none = lab::FindProbe("none");
    CHECK(!none.ok() && !*none && none.status().code() == LAB_BAD_ARGUMENT);
    try {
      lab::FindProbe("none").OrThrow();
      CHECK(false);
    } catch (const lab::StatusError& thrown) {
      CHECK(thrown.code() == LAB_BAD_ARGUMENT && std::string(thrown.what()) == "there is no such probe");
    }

    CHECK(moved.Rename("second").ok());
    lab::Report report = moved.Report().OrThrow();
    CHECK(std::string(report->text, report->length) == "second");
    lab::Report copy = lab::Report::New();
    copy.Append(report);
    CHECK(copy->length == 6);
    CHECK(!lab::Probe::New("silent").Report().ok());

    CHECK(!moved.Grow(-1) && moved);
    lab::Probe larger = moved.Grow(2);
    CHECK(larger && !moved && *larger.Last() == 30);
    CHECK(std::move(larger).Retire().ok());
    CHECK(!larger && lab::Probes() == 0);
    lab::Probe again = lab::Probe::New("again");
    again = lab::Probe::New("and again");
    CHECK(lab::Probes() == 1);
  }
  CHECK(lab::Probes() == 0);
}

void Change(lab::ProbeRef probe, int32_t value) {
  if (std::string(probe.Name()) == "bad") {
    throw std::runtime_error("a bad probe");
  }
  CHECK(value == 0);
}

void TestCallbacks() {
  lab::Probe probe = lab::Probe::New("good");
  CHECK(probe.OnChange<&Change>().ok());
  CHECK(probe.Rename("bad").ok());
  const lab::Status status = probe.OnChange<&Change>();
  CHECK(status.code() == LAB_BUG && std::string(status.message()) == "a bad probe");
  CHECK(probe.OnChange([](LAB_Probe*, int32_t, LAB_Status* given) { LAB_SetStatus(given, LAB_OK, ""); }).ok());
}

// ---- objects

struct Experiment {
  static inline int live = 0;
  explicit Experiment(lab::Run run) : number(run.Number()) { ++live; }
  ~Experiment() { --live; }
  int32_t Step(lab::Run, int32_t at) { return number + at; }
  int32_t number;
};

struct Failing {
  Failing() { throw std::runtime_error("never made"); }
  int32_t Step(lab::Run, int32_t) { return 1; }
};

struct Stumbling {
  int32_t Step(LAB_Run*, int32_t at) {
    if (at == 1) {
      throw lab::StatusError(LAB_BAD_STATE, "stumbled");
    }
    return 1;
  }
};

void TestObjects() {
  lab::Experiment experiment = lab::Experiment::New<Experiment>("steps");
  CHECK(*experiment.Perform(3) == 7 + 8 + 9);
  CHECK(Experiment::live == 0);
  const auto failing = lab::Experiment::New<Failing>("fails").Perform(2);
  CHECK(!failing.ok() && *failing == 0);
  CHECK(std::string(failing.status().message()) == "the object could not be created");
  const auto stumbling = lab::Experiment::New<Stumbling>("stumbles").Perform(3);
  CHECK(stumbling.status().code() == LAB_BAD_STATE && std::string(stumbling.status().message()) == "stumbled");
  CHECK(*stumbling == 2);
}

}  // namespace

extern "C" int LAB_AnswerPlugin(int question) { return lab::AnswerPlugin<&Answer>(question); }

extern "C" void LAB_InitPlugin(LAB_Registration* registration, LAB_Status* status) {
  lab::InitPlugin<&Register>(registration, status);
}

int main() {
  TestTables();
  TestOlderCore();
  TestExceptions();
  TestRegistration();
  TestTwoTables();
  TestEntryPoint();
  TestSamples();
  TestHandles();
  TestCallbacks();
  TestObjects();
  CHECK(Lab_Live() == 0);
  std::puts("all is well");
  return 0;
}
