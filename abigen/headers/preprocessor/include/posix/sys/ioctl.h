#ifndef _ABIGEN_SYS_IOCTL_H
#define _ABIGEN_SYS_IOCTL_H
struct winsize {
  unsigned short ws_row;
  unsigned short ws_col;
  unsigned short ws_xpixel;
  unsigned short ws_ypixel;
};
#endif
