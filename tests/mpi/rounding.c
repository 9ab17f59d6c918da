// SPDX-License-Identifier: BSD-3-Clause
// Reductions whose results depend on the order of the operands.
// usage: rounding own|predefined       prints "ok N reductions" on rank 0
#include <complex.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { numbers_max = 3000 };

static int rank, reductions;

static union {
  float of_float[2 * numbers_max];
  double of_double[2 * numbers_max];
  long double of_long_double[2 * numbers_max];
  struct {
    double value;
    int index;
  } pairs[numbers_max];
} in, out;

/// All numbers that fit: of both signs, and none in few bits.
static void fill(size_t number_bytes) {
  for (int i = 0; i < 2 * numbers_max; ++i) {
    const long double number = (i % 2 == 0 ? 1.0L : -1.0L) / (i % 997 + 17 * rank + 1.1L);
    if (number_bytes == sizeof(float)) in.of_float[i] = (float)number;
    if (number_bytes == sizeof(double)) in.of_double[i] = (double)number;
    if (number_bytes == sizeof(long double)) in.of_long_double[i] = number;
  }
}

static void reduce(MPI_Datatype type, int count, MPI_Op op) {
  MPI_Allreduce(&in, &out, count, type, op, MPI_COMM_WORLD);
  ++reductions;
}

/// Not every MPI has Fortran's.
static void sum_and_multiply(MPI_Datatype type, int size, size_t number_bytes) {
  int known = 0;
  if (type == MPI_DATATYPE_NULL || (MPI_Type_size(type, &known), known != size)) return;
  fill(number_bytes);
  reduce(type, numbers_max, MPI_SUM);
  reduce(type, numbers_max, MPI_PROD);
}

static void parametrised(void) {
  MPI_Datatype type;
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type);
  fill(sizeof(double));
  reduce(type, numbers_max, MPI_SUM);
}

/// Zeros of both signs, and partial products that leave the range in some orders only.
static void edges(void) {
  for (int i = 0; i < numbers_max; ++i) in.of_double[i] = (i + rank) % 2 == 0 ? 0.0 : -0.0;
  reduce(MPI_DOUBLE, numbers_max, MPI_MAX);
  reduce(MPI_DOUBLE, numbers_max, MPI_MIN);
  for (int i = 0; i < numbers_max; ++i) in.of_double[i] = (i + rank) % 3 == 0 ? 1e200 : 1e-160;
  reduce(MPI_DOUBLE, numbers_max, MPI_PROD);
  for (int i = 0; i < numbers_max; ++i) {
    in.pairs[i].value = (i + rank) % 2 == 0 ? 0.0 : -0.0;
    in.pairs[i].index = rank;
  }
  reduce(MPI_DOUBLE_INT, numbers_max, MPI_MAXLOC);
}

static void predefined(void) {
  sum_and_multiply(MPI_REAL4, 4, 4);
  sum_and_multiply(MPI_REAL8, 8, 8);
  sum_and_multiply(MPI_COMPLEX8, 8, 4);
  sum_and_multiply(MPI_COMPLEX16, 16, 8);
  sum_and_multiply(MPI_DOUBLE_PRECISION, 8, 8);
  sum_and_multiply(MPI_FLOAT, sizeof(float), sizeof(float));
  sum_and_multiply(MPI_LONG_DOUBLE, sizeof(long double), sizeof(long double));
  sum_and_multiply(MPI_C_DOUBLE_COMPLEX, 16, 8);
  parametrised();
  edges();
  fill(sizeof(double));
  MPI_Reduce(&in, &out, numbers_max, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void add(void* from, void* into, int* count, MPI_Datatype* type) {
  int bytes;
  MPI_Type_size(*type, &bytes);
  for (int i = 0; i < *count * bytes / 8; ++i) ((double*)into)[i] += ((double*)from)[i];
}

static void largest(void* from, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    if (((int*)from)[i] > ((int*)into)[i]) ((int*)into)[i] = ((int*)from)[i];
  }
}

/// As ScaLAPACK sums complex numbers, and with a type of the program's own.
static void own(void) {
  MPI_Op sum, maximum;
  MPI_Datatype pair;
  MPI_Op_create(add, 1, &sum);
  MPI_Op_create(largest, 1, &maximum);
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  fill(sizeof(double));
  reduce(MPI_C_DOUBLE_COMPLEX, numbers_max, sum);
  reduce(pair, numbers_max, sum);
  reduce(MPI_INT, numbers_max, maximum);
  MPI_Type_free(&pair);
  MPI_Op_free(&maximum);
  MPI_Op_free(&sum);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && strcmp(argv[1], "own") == 0) {
    own();
  } else {
    predefined();
  }
  if (rank == 0) printf("ok %d reductions\n", reductions);
  return MPI_Finalize();
}
