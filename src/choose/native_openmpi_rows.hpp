// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's fixed decisions: from so many ranks and so many bytes on, what runs. Read in
// ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of release 4.1.4; the same in 5.0.10.
#pragma once

#include <cstdint>
#include <string_view>

namespace suiro::openmpi {

/// Ascending by ranks, then by bytes. A row holds up to the next of the same ranks.
struct Row {
  int ranks = 0;
  std::int64_t bytes = 0;
  std::string_view algorithm;
};

inline constexpr Row alltoall_rows[] = {
    {0, 0, "linear_sync"}, {0, 8192, "linear"}, {0, 16384, "linear_sync"}, {0, 65536, "linear"},
    {0, 524288, "pairwise"}, {0, 1048576, "linear"}, {2, 0, "pairwise"}, {2, 2, "two_proc"},
    {2, 4, "pairwise"}, {2, 16, "two_proc"}, {2, 64, "pairwise"}, {2, 256, "two_proc"},
    {2, 4096, "pairwise"}, {2, 32768, "linear_sync"}, {2, 262144, "two_proc"},
    {2, 1048576, "pairwise"}, {3, 0, "linear_sync"}, {3, 8192, "linear"},
    {3, 16384, "linear_sync"}, {3, 65536, "linear"}, {3, 524288, "pairwise"},
    {3, 1048576, "linear"}, {8, 0, "linear_sync"}, {8, 262144, "linear"}, {16, 0, "linear_sync"},
    {16, 4, "bruck"}, {16, 512, "linear_sync"}, {16, 8192, "linear"}, {16, 32768, "linear_sync"},
    {16, 262144, "linear"}, {16, 524288, "linear_sync"}, {32, 0, "bruck"}, {32, 512, "linear"},
    {32, 524288, "linear_sync"}, {64, 0, "bruck"}, {64, 1024, "linear"},
    {64, 2048, "linear_sync"}, {64, 4096, "linear"}, {64, 262144, "pairwise"}, {128, 0, "bruck"},
    {128, 1024, "linear_sync"}, {128, 2048, "linear"}, {128, 262144, "pairwise"},
    {256, 0, "bruck"}, {256, 1024, "linear_sync"}, {256, 8192, "linear"},
    {256, 32768, "pairwise"}, {512, 0, "bruck"}, {512, 512, "linear_sync"}, {512, 8192, "linear"},
    {512, 16384, "linear_sync"}, {512, 131072, "linear"}, {512, 262144, "pairwise"},
    {1024, 0, "bruck"}, {1024, 512, "linear_sync"}, {1024, 1024, "linear"},
    {1024, 2048, "linear_sync"}, {1024, 16384, "linear"}, {1024, 262144, "linear_sync"},
    {2048, 0, "bruck"}, {2048, 1024, "linear_sync"}, {2048, 4096, "linear"},
    {2048, 8192, "linear_sync"}, {2048, 131072, "linear"}, {4096, 0, "bruck"},
    {4096, 2048, "linear_sync"}, {4096, 8192, "linear"}, {4096, 16384, "linear_sync"},
    {4096, 32768, "linear"}, {4096, 65536, "linear_sync"},
};

inline constexpr Row bcast_rows[] = {
    {0, 0, "pipeline"}, {0, 32, "binary"}, {0, 256, "pipeline"}, {0, 512, "knomial"},
    {0, 1024, "linear"}, {0, 32768, "binary"}, {0, 131072, "chain"}, {0, 262144, "linear"},
    {0, 524288, "binomial"}, {0, 1048576, "binary"}, {4, 0, "binary"}, {4, 64, "binomial"},
    {4, 128, "binary"}, {4, 2048, "binomial"}, {4, 8192, "linear"}, {4, 1048576, "chain"},
    {8, 0, "knomial"}, {8, 8, "binary"}, {8, 64, "knomial"}, {8, 4096, "binary"},
    {8, 16384, "binomial"}, {8, 32768, "linear"}, {16, 0, "knomial"}, {16, 4096, "binomial"},
    {16, 1048576, "scatter_allgather"}, {32, 0, "binomial"}, {32, 2048, "knomial"},
    {64, 0, "knomial"}, {128, 0, "binomial"}, {128, 2, "binary"}, {128, 16384, "linear"},
    {128, 32768, "binary"}, {128, 65536, "knomial"}, {256, 0, "knomial"},
    {256, 16384, "split_binary"}, {256, 32768, "knomial"}, {1024, 0, "knomial"},
    {1024, 524288, "scatter_allgather"}, {2048, 0, "knomial"},
    {2048, 262144, "scatter_allgather"}, {4096, 0, "knomial"}, {4096, 8192, "binary"},
    {4096, 16384, "knomial"}, {4096, 262144, "scatter_allgather"},
};

inline constexpr Row reduce_rows[] = {
    {0, 0, "rabenseifner"}, {0, 8, "binary"}, {0, 16, "pipeline"}, {0, 32, "linear"},
    {0, 262144, "pipeline"}, {0, 524288, "chain"}, {0, 1048576, "pipeline"}, {4, 0, "binary"},
    {4, 4096, "chain"}, {4, 65536, "binomial"}, {4, 262144, "linear"}, {4, 524288, "binomial"},
    {4, 1048576, "linear"}, {8, 0, "binary"}, {8, 8192, "binomial"}, {16, 0, "binary"},
    {16, 4096, "binomial"}, {32, 0, "binomial"}, {256, 0, "binomial"},
    {256, 8192, "in_order_binary"}, {256, 16384, "binomial"}, {512, 0, "binomial"},
    {2048, 0, "binomial"}, {2048, 512, "in_order_binary"}, {2048, 1024, "binomial"},
    {2048, 8192, "in_order_binary"}, {2048, 16384, "binomial"}, {4096, 0, "binomial"},
    {4096, 16, "in_order_binary"}, {4096, 32, "binomial"}, {4096, 1024, "in_order_binary"},
    {4096, 2048, "binomial"}, {4096, 8192, "in_order_binary"}, {4096, 16384, "binomial"},
};

inline constexpr Row allreduce_rows[] = {
    {0, 0, "ring"}, {0, 8, "recursive_doubling"}, {0, 4096, "ring"},
    {0, 8192, "recursive_doubling"}, {0, 16384, "ring"}, {0, 65536, "segmented_ring"},
    {0, 262144, "rabenseifner"}, {4, 0, "ring"}, {4, 16, "recursive_doubling"},
    {4, 8192, "rabenseifner"}, {8, 0, "recursive_doubling"}, {8, 8192, "rabenseifner"},
    {16, 0, "segmented_ring"}, {16, 64, "recursive_doubling"}, {16, 4096, "rabenseifner"},
    {32, 0, "segmented_ring"}, {32, 128, "rabenseifner"}, {64, 0, "recursive_doubling"},
    {64, 262144, "rabenseifner"}, {128, 0, "nonoverlapping"}, {128, 131072, "recursive_doubling"},
    {128, 262144, "rabenseifner"}, {256, 0, "nonoverlapping"}, {256, 4096, "rabenseifner"},
    {512, 0, "nonoverlapping"}, {512, 2048, "recursive_doubling"}, {512, 16384, "rabenseifner"},
    {2048, 0, "nonoverlapping"}, {2048, 2048, "segmented_ring"},
    {2048, 4096, "recursive_doubling"}, {2048, 16384, "rabenseifner"},
    {4096, 0, "nonoverlapping"}, {4096, 2048, "segmented_ring"},
    {4096, 16384, "recursive_doubling"}, {4096, 32768, "rabenseifner"},
};

inline constexpr Row allgather_rows[] = {
    {0, 0, "recursive_doubling"}, {2, 0, "two_proc"}, {3, 0, "recursive_doubling"},
    {32, 0, "recursive_doubling"}, {32, 1024, "neighbor"}, {32, 65536, "ring"},
    {64, 0, "recursive_doubling"}, {64, 512, "neighbor"}, {64, 65536, "ring"},
    {128, 0, "recursive_doubling"}, {128, 512, "neighbor"}, {128, 131072, "ring"},
    {128, 524288, "neighbor"}, {128, 1048576, "ring"}, {256, 0, "recursive_doubling"},
    {256, 32, "bruck"}, {256, 128, "recursive_doubling"}, {256, 1024, "neighbor"},
    {256, 131072, "ring"}, {256, 524288, "neighbor"}, {256, 1048576, "ring"},
    {512, 0, "recursive_doubling"}, {512, 64, "bruck"}, {512, 256, "recursive_doubling"},
    {512, 2048, "neighbor"}, {1024, 0, "recursive_doubling"}, {1024, 4, "bruck"},
    {1024, 8, "recursive_doubling"}, {1024, 16, "bruck"}, {1024, 32, "recursive_doubling"},
    {1024, 256, "bruck"}, {1024, 512, "recursive_doubling"}, {1024, 4096, "neighbor"},
    {2048, 0, "bruck"}, {2048, 32, "recursive_doubling"}, {2048, 128, "bruck"},
    {2048, 512, "recursive_doubling"}, {2048, 4096, "neighbor"}, {4096, 0, "recursive_doubling"},
    {4096, 2, "bruck"}, {4096, 8, "recursive_doubling"}, {4096, 16, "bruck"},
    {4096, 512, "recursive_doubling"}, {4096, 4096, "neighbor"},
};

inline constexpr Row allgatherv_rows[] = {
    {0, 0, "default"}, {0, 256, "neighbor"}, {0, 4096, "ring"}, {0, 8192, "neighbor"},
    {0, 16384, "bruck"}, {0, 262144, "neighbor"}, {2, 0, "ring"}, {2, 2048, "two_proc"},
    {2, 4096, "ring"}, {2, 8192, "two_proc"}, {3, 0, "default"}, {3, 256, "neighbor"},
    {3, 4096, "ring"}, {3, 8192, "neighbor"}, {3, 16384, "bruck"}, {3, 262144, "neighbor"},
    {8, 0, "default"}, {8, 1024, "bruck"}, {16, 0, "default"}, {16, 128, "bruck"},
    {16, 262144, "ring"}, {32, 0, "default"}, {32, 256, "bruck"}, {32, 8192, "ring"},
    {64, 0, "default"}, {64, 256, "bruck"}, {64, 4096, "ring"}, {128, 0, "bruck"},
    {128, 1024, "neighbor"}, {128, 65536, "ring"}, {256, 0, "bruck"}, {256, 1024, "ring"},
    {512, 0, "bruck"}, {512, 512, "default"}, {512, 1024, "bruck"}, {512, 4096, "neighbor"},
    {512, 1048576, "ring"}, {1024, 0, "bruck"}, {1024, 4096, "neighbor"},
};

inline constexpr Row reduce_scatter_rows[] = {
    {0, 0, "ring"}, {0, 65536, "butterfly"}, {0, 131072, "ring"}, {4, 0, "non-overlapping"},
    {4, 8, "recursive_halving"}, {4, 262144, "ring"}, {8, 0, "recursive_halving"},
    {8, 262144, "ring"}, {32, 0, "non-overlapping"}, {32, 64, "recursive_halving"},
    {32, 2048, "butterfly"}, {32, 524288, "ring"}, {64, 0, "non-overlapping"},
    {64, 256, "recursive_halving"}, {64, 512, "butterfly"}, {64, 2048, "recursive_halving"},
    {64, 4096, "butterfly"}, {128, 0, "non-overlapping"}, {128, 256, "recursive_halving"},
    {128, 512, "butterfly"}, {256, 0, "non-overlapping"}, {256, 256, "recursive_halving"},
    {256, 1024, "butterfly"}, {512, 0, "non-overlapping"}, {512, 512, "recursive_halving"},
    {512, 2048, "butterfly"}, {512, 8192, "recursive_halving"}, {512, 16384, "butterfly"},
    {1024, 0, "non-overlapping"}, {1024, 512, "recursive_halving"}, {1024, 4096, "butterfly"},
    {1024, 16384, "recursive_halving"}, {1024, 32768, "butterfly"}, {2048, 0, "non-overlapping"},
    {2048, 512, "recursive_halving"}, {2048, 4096, "butterfly"}, {4096, 0, "non-overlapping"},
    {4096, 1024, "recursive_halving"}, {4096, 8192, "butterfly"},
};

inline constexpr Row reduce_scatter_block_rows[] = {
    {0, 0, "recursive_doubling"}, {0, 4, "butterfly"}, {0, 8, "recursive_halving"},
    {0, 16, "butterfly"}, {0, 128, "recursive_halving"}, {0, 256, "butterfly"},
    {0, 4096, "recursive_halving"}, {0, 8192, "butterfly"}, {0, 131072, "basic_linear"},
    {4, 0, "recursive_halving"}, {4, 8, "recursive_doubling"}, {4, 32, "butterfly"},
    {4, 256, "recursive_halving"}, {4, 8192, "butterfly"}, {4, 16384, "recursive_halving"},
    {4, 1048576, "basic_linear"}, {8, 0, "basic_linear"}, {8, 4, "recursive_halving"},
    {8, 32, "butterfly"}, {8, 128, "recursive_halving"}, {8, 524288, "basic_linear"},
    {8, 4194304, "butterfly"}, {16, 0, "basic_linear"}, {16, 32, "recursive_halving"},
    {16, 524288, "basic_linear"}, {16, 2097152, "recursive_halving"}, {16, 4194304, "butterfly"},
    {32, 0, "recursive_halving"}, {32, 4, "basic_linear"}, {32, 16, "butterfly"},
    {32, 65536, "basic_linear"}, {32, 262144, "butterfly"},
};

inline constexpr Row gather_rows[] = {
    {0, 0, "linear_sync"}, {0, 2, "basic_linear"}, {0, 4, "binomial"}, {0, 32768, "basic_linear"},
    {0, 65536, "binomial"}, {0, 131072, "linear_sync"}, {4, 0, "binomial"},
    {4, 1024, "basic_linear"}, {4, 8192, "binomial"}, {4, 32768, "basic_linear"},
    {4, 262144, "linear_sync"}, {8, 0, "binomial"}, {256, 0, "binomial"},
    {256, 2048, "basic_linear"}, {256, 8192, "binomial"}, {512, 0, "binomial"},
};

inline constexpr Row scatter_rows[] = {
    {0, 0, "linear_nb"}, {0, 2, "basic_linear"}, {0, 131072, "linear_nb"},
    {0, 262144, "basic_linear"}, {4, 0, "binomial"}, {4, 2048, "basic_linear"},
    {4, 4096, "binomial"}, {4, 8192, "basic_linear"}, {4, 32768, "linear_nb"},
    {4, 1048576, "basic_linear"}, {8, 0, "binomial"}, {8, 16384, "linear_nb"},
    {8, 1048576, "basic_linear"}, {16, 0, "binomial"}, {16, 16384, "basic_linear"},
    {16, 32768, "linear_nb"}, {32, 0, "binomial"}, {32, 512, "linear_nb"}, {32, 8192, "binomial"},
    {32, 16384, "linear_nb"}, {64, 0, "binomial"}, {64, 512, "linear_nb"},
};

inline constexpr Row alltoallv_rows[] = {
    {0, 0, "ring"}, {4, 0, "linear"}, {64, 0, "ring"}, {128, 0, "linear"}, {256, 0, "ring"},
    {1024, 0, "linear"},
};

inline constexpr Row barrier_rows[] = {
    {0, 0, "recursive_doubling"}, {4, 0, "linear"}, {8, 0, "recursive_doubling"},
    {64, 0, "bruck"}, {256, 0, "tree"}, {512, 0, "bruck"}, {1024, 0, "tree"}, {4096, 0, "bruck"},
};

}  // namespace suiro::openmpi
