// SPDX-License-Identifier: BSD-3-Clause
// What src/compat/older_glibc.c does for every library of suiro, for the functions that only the
// transport needs: threads, and what they wait with. They became part of libc, under new versions,
// in 2.34; a program that is linked there would not start on an older system.
#define _GNU_SOURCE
#include <features.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#define NAMES_VERSION "GLIBC_2.12"
#elif defined(__aarch64__) || defined(__powerpc64__)
#define FIRST_VERSION "GLIBC_2.17"
#define NAMES_VERSION "GLIBC_2.17"
#endif
#if defined(__x86_64__) || defined(__powerpc64__)
#define STAT_VERSION 1
#else
#define STAT_VERSION 0
#endif

#if defined(FIRST_VERSION) && __GLIBC_PREREQ(2, 34)
#define FIRST(name) __asm__(".symver first_" #name ", " #name "@" FIRST_VERSION)

FIRST(pthread_create);
FIRST(pthread_join);
FIRST(pthread_detach);
FIRST(pthread_getspecific);
FIRST(pthread_setspecific);
FIRST(pthread_key_create);
FIRST(pthread_key_delete);
FIRST(pthread_mutex_trylock);
FIRST(pthread_sigmask);
__asm__(".symver first_pthread_setname_np, pthread_setname_np@" NAMES_VERSION);

int first_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                         void* argument);
int first_pthread_join(pthread_t thread, void** result);
int first_pthread_detach(pthread_t thread);
void* first_pthread_getspecific(pthread_key_t key);
int first_pthread_setspecific(pthread_key_t key, const void* value) __attr_access_none(2);
int first_pthread_key_create(pthread_key_t* key, void (*destroy)(void*));
int first_pthread_key_delete(pthread_key_t key);
int first_pthread_mutex_trylock(pthread_mutex_t* mutex);
int first_pthread_sigmask(int how, const sigset_t* set, sigset_t* old);
int first_pthread_setname_np(pthread_t thread, const char* name);

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  return first_pthread_create(thread, attributes, run, argument);
}
int pthread_join(pthread_t thread, void** result) { return first_pthread_join(thread, result); }
int pthread_detach(pthread_t thread) { return first_pthread_detach(thread); }
void* pthread_getspecific(pthread_key_t key) { return first_pthread_getspecific(key); }
int pthread_setspecific(pthread_key_t key, const void* value) {
  return first_pthread_setspecific(key, value);
}
int pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) {
  return first_pthread_key_create(key, destroy);
}
int pthread_key_delete(pthread_key_t key) { return first_pthread_key_delete(key); }
int pthread_mutex_trylock(pthread_mutex_t* mutex) { return first_pthread_mutex_trylock(mutex); }
int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  return first_pthread_sigmask(how, set, old);
}
int pthread_setname_np(pthread_t thread, const char* name) {
  return first_pthread_setname_np(thread, name);
}

/// Younger than 2.28: a wait until a time of another clock than the condition's own, which is that
/// of the day. If that is set meanwhile, the wait is longer or shorter; all waits here are in
/// loops.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  enum { second_ns = 1000000000 };
  struct timespec now, day;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &day);
  day.tv_sec += until->tv_sec - now.tv_sec;
  day.tv_nsec += until->tv_nsec - now.tv_nsec;
  for (; day.tv_nsec < 0; day.tv_nsec += second_ns) --day.tv_sec;
  for (; day.tv_nsec >= second_ns; day.tv_nsec -= second_ns) ++day.tv_sec;
  return pthread_cond_timedwait(condition, mutex, &day);
}

int __xstat(int version, const char* path, struct stat* status);
int __lxstat(int version, const char* path, struct stat* status);
int stat(const char* path, struct stat* status) { return __xstat(STAT_VERSION, path, status); }
int lstat(const char* path, struct stat* status) { return __lxstat(STAT_VERSION, path, status); }

#endif
