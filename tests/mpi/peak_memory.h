// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdio.h>

/// The most memory that this process had so far, in KB (proc_pid_status(5)).
static long peak_kilobytes(void) {
  char line[512];
  long peak = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &peak);
  if (status != NULL) fclose(status);
  return peak;
}
