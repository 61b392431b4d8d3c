#pragma once
void mul(float m[4][4]);
