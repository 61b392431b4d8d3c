#pragma once
void mul(float m[8][4]);
