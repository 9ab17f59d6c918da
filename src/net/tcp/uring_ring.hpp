// SPDX-License-Identifier: BSD-3-Clause
// The kernel's ring, and the buffers that it may fill. A default ring: with DEFER_TASKRUN nothing
// would arrive while the application computes. What waits for data belongs to the thread that
// submitted it: it interrupts that thread, and ends with it.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace suiro::net {

class UringRing {
 public:
  struct Completion {
    std::uint64_t data = 0;  // as given with the operation
    int result = 0;          // bytes, poll events, or a negative errno
    std::uint32_t flags = 0;

    bool more_follow() const { return (flags & IORING_CQE_F_MORE) != 0; }
  };

  /// Throws std::runtime_error in one line: forbidden, or too old a kernel.
  UringRing();
  ~UringRing();
  UringRing(const UringRing&) = delete;
  UringRing& operator=(const UringRing&) = delete;

  /// Readable when there are completions.
  int descriptor() const { return ring_.ring_fd; }

  // To be submitted with submit(), by the thread that they are to belong to.
  /// Whatever arrives, each time into a buffer of the ring, until it fails or is cancelled.
  void receive_many(int socket, std::uint64_t data);
  /// Once.
  void receive_some(int socket, std::uint64_t data);
  /// So many bytes; fewer only at the end of the stream, or from kernels that do not wait for all.
  void receive_all(int socket, std::span<std::byte> target, std::uint64_t data);
  void watch(int descriptor, unsigned events, std::uint64_t data);
  /// Ends the operation that was given `target`. Its own completion has `data`.
  void cancel(std::uint64_t target, std::uint64_t data);
  void submit();
  /// Something could not be submitted yet: submit() again.
  bool has_unsubmitted() const { return io_uring_sq_ready(&ring_) > 0; }

  /// Takes the next completion; no system call unless there were more than the ring holds.
  bool next(Completion& completion);
  /// There are completions, or there are going to be at once.
  bool has_completions() const;
  /// Until there is one.
  void wait();

  /// The bytes of a receive_many or receive_some; the buffer is to be given back.
  std::span<const std::byte> buffer(const Completion& completion) const;
  void give_back(const Completion& completion);

  void abandon() noexcept;
  std::uint64_t system_calls() const { return system_calls_; }

 private:
  void set_up();
  io_uring_sqe& next_entry();
  void make_buffers();
  void add_buffer(unsigned number);

  io_uring ring_{};
  io_uring_buf_ring* free_buffers_ = nullptr;  // which the kernel may take
  std::byte* buffers_ = nullptr;
  std::uint64_t system_calls_ = 0;
};

}  // namespace suiro::net
