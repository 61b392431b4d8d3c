// should not trigger: guards go and come, wherever they stand.
#if defined(_MSC_VER)
#pragma once
#endif
#ifndef TOY_API_H_INCLUDED
#define TOY_API_H_INCLUDED
#define __OLD_H__
int toy_start(void);
#endif
