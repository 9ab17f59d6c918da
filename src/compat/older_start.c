// SPDX-License-Identifier: BSD-3-Clause
// What src/compat/older_glibc.c does for suiro's libraries, for the start of its programs. Since
// glibc 2.34 a program leaves its constructors to the C library, under a new version of this
// function; the old version, of which both older and newer systems have one, runs what it is given.
#define _GNU_SOURCE
#include <features.h>

#if defined(__x86_64__) && __GLIBC_PREREQ(2, 34)

typedef int main_function(int, char**, char**);
typedef void constructor(int, char**, char**);

__asm__(".symver first_libc_start_main, __libc_start_main@GLIBC_2.2.5");
int first_libc_start_main(main_function* main, int count, char** words, main_function* init,
                          void (*fini)(void), void (*loader_fini)(void), void* stack_end);

extern constructor* __init_array_start[] __attribute__((visibility("hidden")));
extern constructor* __init_array_end[] __attribute__((visibility("hidden")));

static int construct(int count, char** words, char** environment) {
  for (constructor** each = __init_array_start; each < __init_array_end; ++each) {
    (*each)(count, words, environment);
  }
  return 0;
}

int __libc_start_main(main_function* main, int count, char** words, main_function* init,
                      void (*fini)(void), void (*loader_fini)(void), void* stack_end) {
  return first_libc_start_main(main, count, words, init ? init : construct, fini, loader_fini,
                               stack_end);
}

#endif
