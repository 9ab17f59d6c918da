// SPDX-License-Identifier: BSD-3-Clause
// Lets a library that was built on a new system load on an old one, back to glibc 2.28 (RHEL 8). A
// program is linked with the newest versions of the C library's functions, and refuses to start
// where they are missing. So the few functions whose newest version is younger are defined here,
// for this library alone, over the versions that have always been there; the static C++ runtime
// uses them too. A test lists what the built library needs; what it finds too young goes here.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <features.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>

// The version that all functions have had since this kind of machine is known to glibc.
#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#define LINKS_VERSION "GLIBC_2.3.3"
#elif defined(__aarch64__) || defined(__powerpc64__)
#define FIRST_VERSION "GLIBC_2.17"
#define LINKS_VERSION "GLIBC_2.17"
#endif

#ifdef FIRST_VERSION
#define FIRST(name) __asm__(".symver first_" #name ", " #name "@" FIRST_VERSION)

#if __GLIBC_PREREQ(2, 34)  // libdl and libpthread became part of libc

FIRST(dlopen);
FIRST(dlsym);
FIRST(dlclose);
FIRST(dladdr);
FIRST(dlerror);
__asm__(".symver first_dladdr1, dladdr1@" LINKS_VERSION);
FIRST(pthread_once);
FIRST(pthread_rwlock_rdlock);
FIRST(pthread_rwlock_wrlock);
FIRST(pthread_rwlock_unlock);
void* first_dlopen(const char* file, int mode);
void* first_dlsym(void* handle, const char* name);
int first_dlclose(void* handle);
int first_dladdr(const void* address, Dl_info* info);
int first_dladdr1(const void* address, Dl_info* info, void** more, int flags);
char* first_dlerror(void);
int first_pthread_rwlock_rdlock(pthread_rwlock_t* lock);
int first_pthread_rwlock_wrlock(pthread_rwlock_t* lock);
int first_pthread_rwlock_unlock(pthread_rwlock_t* lock);
int first_pthread_once(pthread_once_t* once, void (*run)(void));
int first_pthread_key_create(pthread_key_t* key, void (*destroy)(void*));
FIRST(pthread_key_create);

void* dlopen(const char* file, int mode) { return first_dlopen(file, mode); }
// RTLD_NEXT is told from the caller's address, which is in this library here too: no tail call.
void* dlsym(void* restrict handle, const char* restrict name) {
  void* volatile found = first_dlsym(handle, name);
  return found;
}
int dlclose(void* handle) { return first_dlclose(handle); }
int dladdr(const void* address, Dl_info* info) { return first_dladdr(address, info); }
int dladdr1(const void* address, Dl_info* info, void** more, int flags) {
  return first_dladdr1(address, info, more, flags);
}
char* dlerror(void) { return first_dlerror(); }
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) { return first_pthread_rwlock_rdlock(lock); }
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) { return first_pthread_rwlock_wrlock(lock); }
int pthread_rwlock_unlock(pthread_rwlock_t* lock) { return first_pthread_rwlock_unlock(lock); }
int pthread_once(pthread_once_t* once, void (*run)(void)) { return first_pthread_once(once, run); }
/// The C++ runtime asks whether it exists, to know whether there are threads.
int __pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) {
  return first_pthread_key_create(key, destroy);
}

#endif

#if __GLIBC_PREREQ(2, 33)

int __fxstat(int version, int file, struct stat* status);
int __fxstat64(int version, int file, struct stat64* status);
#if defined(__x86_64__) || defined(__powerpc64__)
#define STAT_VERSION 1
#else
#define STAT_VERSION 0
#endif

int fstat(int file, struct stat* status) { return __fxstat(STAT_VERSION, file, status); }
int fstat64(int file, struct stat64* status) { return __fxstat64(STAT_VERSION, file, status); }

#endif

#if __GLIBC_PREREQ(2, 32)

/// Never: so reference counts are atomic, always.
char __libc_single_threaded = 0;

#endif

#if __GLIBC_PREREQ(2, 35)

static int find_in(struct dl_phdr_info* info, size_t size, void* search) {
  (void)size;
  struct dl_find_object* found = search;
  const uintptr_t address = (uintptr_t)found->dlfo_map_start;
  const void* frames = NULL;
  int inside = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && address >= begin && address - begin < part->p_memsz) {
      inside = 1;
      found->dlfo_map_end = (char*)begin + part->p_memsz;
    }
    if (part->p_type == PT_GNU_EH_FRAME) frames = (const void*)begin;
  }
  if (inside) found->dlfo_eh_frame = (void*)frames;
  return inside;
}

/// Where the unwinder finds an address's frames.
int _dl_find_object(void* address, struct dl_find_object* result) {
  struct dl_find_object found = {.dlfo_map_start = address};
  if (dl_iterate_phdr(find_in, &found) == 0 || found.dlfo_eh_frame == NULL) return -1;
  *result = found;
  return 0;
}

#endif

#if __GLIBC_PREREQ(2, 36)

uint32_t arc4random(void) {
  uint32_t value;
  ssize_t got;
  do got = getrandom(&value, sizeof value, 0);
  while (got < 0 && errno == EINTR);
  if (got != sizeof value) abort();
  return value;
}

#endif
#endif
