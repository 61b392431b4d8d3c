// should not trigger: guards go and come, wherever they stand.
#pragma once
int toy_start(void);
