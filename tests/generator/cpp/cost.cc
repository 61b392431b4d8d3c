// Pairs of functions that have to be the same machine code: c_* calls the API as C does, cpp_* through the layer.
#include "lab/lab.hpp"

struct LP_Sample_st {
  int32_t kind;
};

extern "C" {

// What callbacks do; it is elsewhere, and throws nothing.
void Elsewhere(const LP_Bench* bench, LP_Sample sample) noexcept;
double Heavy(const LP_Bench* bench, LP_Sample sample, LAB_Status* status) noexcept;

const char* c_plain(const LAB_Probe* probe) { return LAB_ProbeName(probe); }
const char* cpp_plain(LAB_Probe* probe) { return lab::ProbeRef(probe).Name(); }

LAB_Status* c_status(LAB_Probe* probe, const char* name, LAB_Status* status) {
  LAB_RenameProbe(probe, name, status);
  return status;
}
LAB_Status* cpp_status(LAB_Probe* probe, const char* name, LAB_Status* status) {
  return lab::ProbeRef(probe).Rename(name, status).get();
}

bool c_checked(LAB_Probe* probe, const char* name, LAB_Status* status) {
  LAB_RenameProbe(probe, name, status);
  return LAB_GetCode(status) == LAB_OK;
}
bool cpp_checked(LAB_Probe* probe, const char* name, LAB_Status* status) {
  return lab::ProbeRef(probe).Rename(name, status).ok();
}

int32_t c_result(const LAB_Probe* probe, LAB_Status* status) { return LAB_ProbeLast(probe, status); }
int32_t cpp_result(LAB_Probe* probe, LAB_Status* status) { return *lab::ProbeRef(probe).Last(status); }

int32_t c_outputs(const LAB_Probe* probe, LAB_Status* status) {
  int32_t value = 0;
  int32_t error = 0;
  LAB_Probe_Read(probe, &value, &error, status);
  return value - error;
}
int32_t cpp_outputs(LAB_Probe* probe, LAB_Status* status) {
  const auto [value, error] = *lab::ProbeRef(probe).Read(status);
  return value - error;
}

LAB_Probe* c_given(const char* name, LAB_Status* status) {
  LAB_Probe* probe = nullptr;
  LAB_FindProbe(name, &probe, status);
  return probe;
}
LAB_Probe* cpp_given(const char* name, LAB_Status* status) { return lab::FindProbe(name, status)->release(); }

// A span of a pointer also looks whether that is NULL; arrays never are.
void c_span(LAB_Probe* probe, const double (&points)[3], LAB_Status* status) {
  LAB_ProbeCalibrate(probe, points, 3, status);
}
void cpp_span(LAB_Probe* probe, const double (&points)[3], LAB_Status* status) {
  static_cast<void>(lab::ProbeRef(probe).Calibrate(points, status));
}

void c_taken(LAB_Probe* probe, LAB_Probe* other, LAB_Status* status) { LAB_JoinProbe(probe, other, status); }
void cpp_taken(LAB_Probe* probe, LAB_Probe* other, LAB_Status* status) {
  static_cast<void>(lab::ProbeRef(probe).Join(lab::Probe(other), status));
}

void c_destroyed(LAB_Probe* probe) {
  if (probe != nullptr) {
    LAB_DeleteProbe(probe);
  }
}
void cpp_destroyed(LAB_Probe* probe) { lab::Probe owner(probe); }

void c_callback(const LP_Bench* bench, LP_Sample sample) { Elsewhere(bench, sample); }
double c_weigh(const LP_Bench* bench, LP_Sample sample, LAB_Status* status) { return Heavy(bench, sample, status); }
}

struct Bench : lab::BenchFns<Bench> {
  static void create_sample(const LP_Bench*, int32_t, LP_Sample*) {}
  static void destroy_sample(const LP_Bench* bench, lab::SampleRef sample) { Elsewhere(bench, sample.get()); }
  static double weigh(const LP_Bench* bench, lab::SampleRef sample, lab::StatusRef status) {
    return Heavy(bench, sample.get(), status.get());
  }
};

// Makes the callbacks; they are found in the object file by what their names hold.
void Use(LP_BenchFns* fns) { Bench::Fill(fns); }
