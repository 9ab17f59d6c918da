// SPDX-License-Identifier: BSD-3-Clause
// An ordinary program: a distributed two-dimensional Fourier transform and back with FFTW. It knows
// nothing of suiro.
//
//   mpicc fftw_transform.c -o fftw_transform -lfftw3_mpi -lfftw3 -lm
//   suiro run -- mpirun -np 16 ./fftw_transform 1024 5
#include <fftw3-mpi.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/// Any reproducible input will do, if every element differs from its neighbours.
static double value_at(ptrdiff_t index) { return sin(0.001 * (double)index) + (double)(index % 7); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  const ptrdiff_t size = argc > 1 ? atol(argv[1]) : 1024;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 5;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  ptrdiff_t rows = 0, first = 0;
  const ptrdiff_t room = fftw_mpi_local_size_2d(size, size, MPI_COMM_WORLD, &rows, &first);
  fftw_complex* data = fftw_alloc_complex((size_t)room);
  fftw_complex* wave = fftw_alloc_complex((size_t)room);
  // The transposed layout between the two needs one exchange each way, as a real solver would have
  // it.
  fftw_plan forward =
      fftw_mpi_plan_dft_2d(size, size, data, wave, MPI_COMM_WORLD, FFTW_FORWARD,
                           FFTW_ESTIMATE | FFTW_DESTROY_INPUT | FFTW_MPI_TRANSPOSED_OUT);
  fftw_plan backward =
      fftw_mpi_plan_dft_2d(size, size, wave, data, MPI_COMM_WORLD, FFTW_BACKWARD,
                           FFTW_ESTIMATE | FFTW_DESTROY_INPUT | FFTW_MPI_TRANSPOSED_IN);
  for (ptrdiff_t i = 0; i < rows * size; ++i) {
    data[i][0] = value_at(first * size + i);
    data[i][1] = 0;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const double scale = 1.0 / ((double)size * (double)size);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    fftw_execute(forward);
    fftw_execute(backward);
    for (ptrdiff_t i = 0; i < rows * size; ++i) {
      data[i][0] *= scale;
      data[i][1] *= scale;
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = (MPI_Wtime() - start) / repetitions;

  double error = 0, largest = 0;
  for (ptrdiff_t i = 0; i < rows * size; ++i) {
    error = fmax(error, fabs(data[i][0] - value_at(first * size + i)));
  }
  MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%td x %td: %.4f s there and back, error %.1e\n", size, size, seconds, largest);
  fftw_destroy_plan(forward);
  fftw_destroy_plan(backward);
  fftw_free(wave);
  fftw_free(data);
  MPI_Finalize();
  return largest < 1e-9 ? 0 : 1;
}
