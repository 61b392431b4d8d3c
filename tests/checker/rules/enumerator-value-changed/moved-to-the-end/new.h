// One name moves behind the others without a value of its own: only it is reported, the others slide.
#ifndef STAGE_H_
#define STAGE_H_

typedef enum Stage {
  STAGE_LOAD,
  STAGE_RUN,
  STAGE_UNLOAD,
  STAGE_PREPARE
} Stage;

int stage_enter(Stage stage);

#endif  // STAGE_H_
