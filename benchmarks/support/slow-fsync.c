/* Loaded into PostgreSQL by LD_PRELOAD: each fsync and fdatasync takes ADDED_US longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static void wait_longer(void) {
  struct timespec left = {ADDED_US / 1000000, (ADDED_US % 1000000) * 1000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

int fsync(int fd) {
  static int (*real)(int);
  if (real == 0) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_longer();
  return real(fd);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (real == 0) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_longer();
  return real(fd);
}
