#ifndef _ABIGEN_PWD_H
#define _ABIGEN_PWD_H
#include <sys/types.h>
struct passwd;
#if defined __APPLE__
struct passwd {
  char *pw_name;
  char *pw_passwd;
  uid_t pw_uid;
  gid_t pw_gid;
  time_t pw_change;
  char *pw_class;
  char *pw_gecos;
  char *pw_dir;
  char *pw_shell;
  time_t pw_expire;
};
#elif defined __linux__ && (!defined __ANDROID__ || defined __LP64__)
struct passwd {
  char *pw_name;
  char *pw_passwd;
  uid_t pw_uid;
  gid_t pw_gid;
  char *pw_gecos;
  char *pw_dir;
  char *pw_shell;
};
#endif
#endif
