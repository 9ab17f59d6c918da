// SPDX-License-Identifier: BSD-3-Clause
// What configure would find out for MPICH's tests of collectives, on any machine that suiro runs
// on. Written for run.py; nothing of it is MPICH's.
#pragma once

#define HAVE_FLOAT_H 1
#define HAVE_GETRUSAGE 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE_LONG_LONG 1
#define HAVE_MPI_WIN_CREATE 1
#define HAVE_STDARG_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_UNISTD_H 1
#define HAVE__BOOL 1

// No test of collectives starts threads.
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_NONE
