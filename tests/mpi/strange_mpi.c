// SPDX-License-Identifier: BSD-3-Clause
// An MPI that nobody knows, for one rank; its handles are small integers.
typedef int Handle;

int PMPI_Init(int* argc, char*** argv) { return argc == 0 || argv == 0; }
int PMPI_Finalize(void) { return 0; }
int PMPI_Get_library_version(char* version, int* length) {
  static const char name[] = "Strange MPI 1.0";
  for (*length = 0; name[*length] != 0; ++*length) version[*length] = name[*length];
  version[*length] = 0;
  return 0;
}
/// The sum of its arguments shows that all of them came through.
int PMPI_Alltoall(const void* send, int send_count, Handle send_type, void* receive,
                  int receive_count, Handle receive_type, Handle communicator) {
  return *(const int*)send + send_count + send_type + *(int*)receive + receive_count +
         receive_type + communicator;
}

#pragma weak MPI_Init = PMPI_Init
#pragma weak MPI_Finalize = PMPI_Finalize
#pragma weak MPI_Get_library_version = PMPI_Get_library_version
#pragma weak MPI_Alltoall = PMPI_Alltoall
