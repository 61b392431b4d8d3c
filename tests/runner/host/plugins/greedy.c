// A plugin that needs what the core does not have.

void TF_SomethingElse(void);
void TF_InitKernel(void) { TF_SomethingElse(); }
