#pragma once
void each(void (^body)(int));
void (^get(void))(int);
