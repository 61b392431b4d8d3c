#pragma once
void hash(const unsigned char in[32]);
