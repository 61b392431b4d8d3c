/* What a plugin can try while it is loaded: -DATTACK=name; linked into a plugin that is right otherwise.
   PLACE is a file to write to, SECRET one to read, PORT where somebody listens. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum attacks { NONE, STAYS, STAYS_AND_HANGS, KILLS_SUPERVISOR, STOPS_SUPERVISOR, FORGES, FORGES_AND_ENDS, ENDS, BOMB, GREEDY, WRITES, REACHES, SPEAKS, SPEAKS_AND_ENDS };

#ifndef PLACE
#define PLACE "/dev/null"
#endif
#ifndef SECRET
#define SECRET "/dev/null"
#endif
#ifndef PORT
#define PORT 1
#endif

/* A process of a session of its own, which nobody waits for, and which keeps no file. */
static void leave_behind(void) {
  pid_t first = fork();
  if (first == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    setsid();
    FILE* file = fopen(PLACE, "a");
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    for (int each = 0; each < 256; each++) close(each);
    for (;;) pause();
  }
  usleep(200000);
}

static void forge(void) {
  const char* lines[] = {
    "{\"finished\": null}\n", "0:0000 {\"finished\": null}\n", "fault: {\"fault\": 11, \"address\": 0, \"write\": true}\n", "\n", "x",
  };
  for (int each = 3; each < 256; each++)
    for (size_t line = 0; line < sizeof lines / sizeof *lines; line++)
      if (write(each, lines[line], strlen(lines[line])) < 0) break;
}

static int reached(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int network = connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr*)&address, sizeof address) == 0;
  int home = open(SECRET, O_RDONLY) >= 0;
  int place = open(PLACE, O_WRONLY | O_CREAT, 0600) >= 0;
  return network + 2 * home + 4 * place;
}

__attribute__((constructor)) static void attack(void) {
  if (ATTACK == STAYS || ATTACK == STAYS_AND_HANGS || ATTACK == KILLS_SUPERVISOR || ATTACK == STOPS_SUPERVISOR) leave_behind();
  if (ATTACK == STAYS_AND_HANGS) for (;;) pause();
  if (ATTACK == KILLS_SUPERVISOR) kill(getppid(), SIGKILL);
  if (ATTACK == STOPS_SUPERVISOR) kill(getppid(), SIGSTOP);
  if (ATTACK == FORGES || ATTACK == FORGES_AND_ENDS) forge();
  if (ATTACK == ENDS || ATTACK == FORGES_AND_ENDS) _exit(0);
  if (ATTACK == BOMB)
    for (;;) if (fork() == 0 && fork() == 0) usleep(1000);
  if (ATTACK == GREEDY)
    for (;;) memset(malloc(1 << 20), 1, 1 << 20);
  if (ATTACK == WRITES) {
    static char block[1 << 16];
    int file = open(PLACE, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int each = 0; each < 64; each++)
      if (write(file, block, sizeof block) <= 0) break;
    close(file);
  }
  if (ATTACK == SPEAKS || ATTACK == SPEAKS_AND_ENDS) {
    const char text[] = "\x1b]0;owned\x07\x1b[2J\r\xe2\x80\xae\xff\n::set-output name=a::b\n ##[stop-commands]c\n";
    for (int each = 1; each <= 2; each++) write(each, text, sizeof text - 1);
  }
  if (ATTACK == SPEAKS_AND_ENDS) _exit(3);
  if (ATTACK == REACHES) _exit(64 + reached());
}
