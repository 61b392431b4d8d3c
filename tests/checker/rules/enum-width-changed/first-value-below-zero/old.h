#ifndef EXAMPLE_FIRST_VALUE_BELOW_ZERO_H_
#define EXAMPLE_FIRST_VALUE_BELOW_ZERO_H_

typedef enum TaskResult { TASK_DONE, TASK_LATER } TaskResult;

TaskResult task_run(void);

#endif  // EXAMPLE_FIRST_VALUE_BELOW_ZERO_H_
