// A core in C, which knows nothing of C++.
#include "lab_core.h"

#include <stdlib.h>
#include <string.h>

struct LAB_Status {
  LAB_Code code;
  char message[200];
};

struct LAB_Probe {
  char name[40];
  int32_t value;
  LAB_Probe* parent;
};

struct LAB_Run {
  int32_t number;
  int failed;
};

struct LAB_Experiment {
  void* (*make)(LAB_Run* run);
  int32_t (*step)(void* self, LAB_Run* run, int32_t number);
  void (*end)(void* self);
};

static int live;
static int probes;
static LAB_Code last_failure;
static char last_message[200];

int Lab_Live(void) { return live; }
LAB_Code Lab_LastFailure(void) { return last_failure; }
const char* Lab_LastMessage(void) { return last_message; }

LAB_Status* LAB_NewStatus(void) {
  ++live;
  return calloc(1, sizeof(LAB_Status));
}
void LAB_DeleteStatus(LAB_Status* status) {
  --live;
  free(status);
}
void LAB_SetStatus(LAB_Status* status, LAB_Code code, const char* message) {
  status->code = code;
  strncpy(status->message, message, sizeof(status->message) - 1);
}
LAB_Code LAB_GetCode(const LAB_Status* status) { return status->code; }
const char* LAB_Message(const LAB_Status* status) { return status->message; }
void LAB_SetStatusNote(LAB_Status* status, const char* note) {
  (void)status;
  (void)note;
}

LAB_Probe* LAB_NewProbe(const char* name) {
  LAB_Probe* probe = calloc(1, sizeof(LAB_Probe));
  strncpy(probe->name, name, sizeof(probe->name) - 1);
  ++live;
  ++probes;
  return probe;
}
void LAB_DeleteProbe(LAB_Probe* probe) {
  --live;
  --probes;
  free(probe);
}
void LAB_FindProbe(const char* name, LAB_Probe** probe, LAB_Status* status) {
  if (strcmp(name, "none") == 0) {
    LAB_SetStatus(status, LAB_BAD_ARGUMENT, "there is no such probe");
    return;
  }
  LAB_SetStatus(status, LAB_OK, "");
  *probe = LAB_NewProbe(name);
}
const char* LAB_ProbeName(const LAB_Probe* probe) { return probe->name; }
void LAB_RenameProbe(LAB_Probe* probe, const char* name, LAB_Status* status) {
  LAB_SetStatus(status, *name ? LAB_OK : LAB_BAD_ARGUMENT, *name ? "" : "no name");
  strncpy(probe->name, name, sizeof(probe->name) - 1);
}
void LAB_Probe_Read(const LAB_Probe* probe, int32_t* value, int32_t* error, LAB_Status* status) {
  LAB_SetStatus(status, LAB_OK, "");
  *value = probe->value;
  *error = 1;
}
int32_t LAB_ProbeLast(const LAB_Probe* probe, LAB_Status* status) {
  LAB_SetStatus(status, LAB_OK, "");
  return probe->value;
}
void LAB_ProbeCalibrate(LAB_Probe* probe, const double* points, int num_points, LAB_Status* status) {
  int at;
  LAB_SetStatus(status, num_points > 0 ? LAB_OK : LAB_BAD_ARGUMENT, num_points > 0 ? "" : "no points");
  for (at = 0; at < num_points; ++at) {
    probe->value += (int32_t)points[at];
  }
}
size_t LAB_ProbeStore(const LAB_Probe* probe, void* data, size_t size) {
  const size_t all = sizeof(probe->value);
  memcpy(data, &probe->value, size < all ? size : all);
  return all;
}
void LAB_ProbeOnChange(LAB_Probe* probe, LAB_ChangeFn changed, LAB_Status* status) {
  LAB_SetStatus(status, LAB_BAD_STATE, "not called");
  changed(probe, probe->value, status);
}
void LAB_JoinProbe(LAB_Probe* probe, LAB_Probe* other, LAB_Status* status) {
  LAB_SetStatus(status, LAB_OK, "");
  probe->value += other->value;
  LAB_DeleteProbe(other);
}
void LAB_RetireProbe(LAB_Probe* probe, LAB_Status* status) {
  LAB_SetStatus(status, LAB_OK, "");
  LAB_DeleteProbe(probe);
}
LAB_Probe* LAB_ProbeGrow(LAB_Probe* probe, int32_t by) {
  LAB_Probe* larger;
  if (by < 0) {
    return NULL;
  }
  larger = LAB_NewProbe(probe->name);
  larger->value = probe->value + by;
  LAB_DeleteProbe(probe);
  return larger;
}
LAB_Probe* LAB_ProbeParent(LAB_Probe* probe) { return probe->parent; }
LAB_Report* LAB_NewReport(void) {
  ++live;
  return calloc(1, sizeof(LAB_Report));
}
void LAB_DeleteReport(LAB_Report* report) {
  --live;
  free(report);
}
LAB_Report* LAB_ProbeReport(const LAB_Probe* probe, LAB_Status* status) {
  LAB_Report* report;
  LAB_SetStatus(status, probe->value ? LAB_OK : LAB_BAD_STATE, probe->value ? "" : "nothing to report");
  if (!probe->value) {
    return NULL;
  }
  report = LAB_NewReport();
  report->text = probe->name;
  report->length = strlen(probe->name);
  return report;
}
void LAB_ReportAppend(LAB_Report* report, const LAB_Report* other) { *report = *other; }
int32_t LAB_Probes(void) { return probes; }

LAB_Experiment* LAB_NewExperiment(const char* name, void* (*make_func)(LAB_Run* run),
                                  int32_t (*step_func)(void* self, LAB_Run* run, int32_t number),
                                  void (*end_func)(void* self)) {
  LAB_Experiment* experiment = calloc(1, sizeof(LAB_Experiment));
  (void)name;
  experiment->make = make_func;
  experiment->step = step_func;
  experiment->end = end_func;
  ++live;
  return experiment;
}
void LAB_DropExperiment(LAB_Experiment* experiment) {
  --live;
  free(experiment);
}
int32_t LAB_Perform(LAB_Experiment* experiment, int32_t steps, LAB_Status* status) {
  LAB_Run run = {7, 0};
  int32_t at, sum = 0;
  void* self = experiment->make(&run);
  for (at = 0; at < steps; ++at) {
    sum += experiment->step(self, &run, at);
  }
  experiment->end(self);
  LAB_SetStatus(status, run.failed ? last_failure : LAB_OK, run.failed ? last_message : "");
  return sum;
}
void LAB_RunFailed(LAB_Run* run, LAB_Status* status) {
  run->failed = 1;
  last_failure = LAB_GetCode(status);
  strncpy(last_message, LAB_Message(status), sizeof(last_message) - 1);
}
int32_t LAB_RunNumber(LAB_Run* run) { return run->number; }

double Lab_UseBench(const LP_BenchFns* fns, const LP_Bench* bench, LAB_Status* status) {
  LP_Sample sample = NULL;
  double weight;
  LAB_SetStatus(status, LAB_OK, "");
  fns->create_sample(bench, 3, &sample, status);
  if (LAB_GetCode(status) != LAB_OK) {
    return -1;
  }
  weight = fns->weigh(bench, sample, status);
  if (LP_BENCH_FNS_HAS_FIELD(fns, shake) && fns->shake != NULL) {
    fns->shake(bench, sample, status);
  }
  if (fns->temperature != NULL) {
    weight += fns->temperature(bench);
  }
  fns->destroy_sample(bench, sample);
  return weight;
}
