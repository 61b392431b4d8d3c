// A plugin for robot.h; OLD makes it one that was compiled with release 1.1.0.
#include <stdlib.h>
#include <string.h>

#include "robot/robot_helpers.h"

struct RB_Motor_st {
  double speed;
};

static int motors = 0;
static char name[20] = "Robby";

int LiveMotors(void) { return motors; }

static int Add(int a, int b) { return a + b; }

static bool Measure(const RB_Robot* robot, int64_t* free, int64_t* total) {
  *free = robot->ordinal;
  *total = INT64_MAX;
  return true;
}

static void CreateMotor(const RB_Robot* robot, RB_Motor* motor,
                        SIG_Status* status) {
  if (robot->ordinal < 0) {
    SIG_Set(status, SIG_JAMMED, "no motor for \"negative\" robots");
    return;
  }
  *motor = malloc(sizeof(**motor));
  (*motor)->speed = 1.5;
  ++motors;
}

static void DestroyMotor(const RB_Robot* robot, RB_Motor motor) {
  (void)robot;
  --motors;
  free(motor);
}

static double Speed(RB_Motor motor) { return motor->speed; }

static RB_Mood MoodOf(const RB_Robot* robot) {
  return robot->ordinal == 13 ? (RB_Mood)77 : robot->mood;
}

static const char* NameOf(const RB_Robot* robot) { return robot->name; }

static RB_Point WhereIs(const RB_Robot* robot) { return robot->where; }

static void Copy(void* to, const void* from, size_t size, SIG_Status* status) {
  if (to == NULL || from == NULL) {
    SIG_Set(status, SIG_BROKEN, "");
    return;
  }
  memcpy(to, from, size);
}

static int64_t Sum(const int64_t* values, size_t num_values) {
  int64_t sum = 0;
  size_t at;
  for (at = 0; at < num_values; ++at) {
    sum += values[at];
  }
  return sum;
}

static void Fill(double* values, int num_values, double with) {
  int at;
  for (at = 0; at < num_values; ++at) {
    values[at] = with;
  }
}

static void Run(RB_Robot* robot, RB_Watcher watcher, void* arg,
                SIG_Status* status) {
  int32_t step;
  (void)status;
  for (step = 0; step < 3; ++step) {
    if (watcher != NULL) {
      watcher(robot, step, arg);
    }
    if (robot->watcher != NULL) {
      robot->watcher(robot, step, arg);
    }
  }
}

static bool Judge(RB_Rule rule, double value, SIG_Status* status) {
  return rule(value, status);
}

static RB_Robot* Twin(RB_Robot* robot) {
  return robot != NULL ? robot->next : NULL;
}

#ifndef OLD
static void Rest(RB_Robot* robot) { robot->awake = false; }
#endif

void RB_Start(RB_Params* params, SIG_Status* status) {
  RB_Arms* const arms = params->arms;
  RB_Robot* const robot = params->robot;
  if (robot == NULL || arms == NULL) {
    SIG_Set(status, SIG_JAMMED, "nothing to fill");
    return;
  }
  arms->add = Add;
  arms->measure = Measure;
  arms->create_motor = CreateMotor;
  arms->destroy_motor = DestroyMotor;
  arms->speed = Speed;
  arms->mood_of = MoodOf;
  arms->name_of = NameOf;
  arms->where_is = WhereIs;
  arms->copy = Copy;
  arms->sum = Sum;
  arms->fill = Fill;
  arms->run = Run;
  arms->judge = Judge;
  arms->twin = Twin;
  robot->name = name;
#ifdef OLD
  arms->struct_size = RB_ARMS_STRUCT_SIZE_1_1_0;
  robot->struct_size = RB_ROBOT_STRUCT_SIZE_1_1_0;
#else
  arms->rest = Rest;
#endif
}

// A consumer of tables, whoever has made them.
int RB_Drive(const RB_Arms* arms, int a, int b) { return arms->add(a, b); }
