// SPDX-License-Identifier: BSD-3-Clause
#include "net/tcp/uring_ring.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/blocked_signals.hpp"

namespace suiro::net {
namespace {

constexpr unsigned submissions = 256;
constexpr unsigned completions = 4096;
constexpr unsigned buffer_count = 128;  // a power of two
constexpr std::size_t buffer_bytes = 16 << 10;
constexpr std::uint16_t buffer_group = 1;
constexpr std::size_t buffer_list_bytes = buffer_count * sizeof(io_uring_buf);

[[noreturn]] void fail(int error) {
  std::string cause = std::strerror(error);
  if (error == EPERM || error == EACCES)
    cause = "forbidden here, as in many containers (sysctl kernel.io_uring_disabled, seccomp)";
  if (error == ENOSYS || error == EINVAL) cause = "the kernel lacks it, Linux 6.0 has it";
  throw std::runtime_error("SUIRO_NET=io_uring: " + cause + "; SUIRO_NET=epoll does without");
}

/// Receives that go on came with 6.0, as did this operation, for which one can ask.
bool is_new_enough(io_uring& ring) {
  io_uring_probe* probe = io_uring_get_probe_ring(&ring);
  const bool supported =
      probe != nullptr && io_uring_opcode_supported(probe, IORING_OP_SEND_ZC) != 0;
  io_uring_free_probe(probe);
  return supported;
}

/// The kernel takes one of the ring's buffers when bytes have come.
void select_buffer(io_uring_sqe& entry, std::uint64_t data) {
  io_uring_sqe_set_flags(&entry, IOSQE_BUFFER_SELECT);
  entry.buf_group = buffer_group;
  io_uring_sqe_set_data64(&entry, data);
}

}  // namespace

/// A thread that has set up a ring, or submitted to it, is interrupted when the ring is closed. So
/// this is done by one that is not there any more then.
UringRing::UringRing() {
  std::exception_ptr failure;
  const BlockedSignals blocked;
  std::thread([&] {
    try {
      set_up();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

void UringRing::set_up() {
  io_uring_params parameters{};
  parameters.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
  parameters.cq_entries = completions;
  const int error = io_uring_queue_init_params(submissions, &ring_, &parameters);
  if (error < 0) fail(-error);
  if (!is_new_enough(ring_)) {
    io_uring_queue_exit(&ring_);
    fail(ENOSYS);
  }
  try {
    make_buffers();
  } catch (...) {
    io_uring_queue_exit(&ring_);
    throw;
  }
}

void UringRing::make_buffers() {
  const std::size_t bytes = buffer_list_bytes + buffer_count * buffer_bytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail(errno);
  free_buffers_ = static_cast<io_uring_buf_ring*>(memory);
  buffers_ = static_cast<std::byte*>(memory) + buffer_list_bytes;
  io_uring_buf_reg registration{};
  registration.ring_addr = reinterpret_cast<std::uint64_t>(free_buffers_);
  registration.ring_entries = buffer_count;
  registration.bgid = buffer_group;
  const int error = io_uring_register_buf_ring(&ring_, &registration, 0);
  if (error < 0) {
    munmap(memory, bytes);
    fail(-error);
  }
  io_uring_buf_ring_init(free_buffers_);
  for (unsigned number = 0; number < buffer_count; ++number) add_buffer(number);
}

UringRing::~UringRing() {
  io_uring_queue_exit(&ring_);
  munmap(free_buffers_, buffer_list_bytes + buffer_count * buffer_bytes);
}

void UringRing::abandon() noexcept { ::close(ring_.ring_fd); }

void UringRing::add_buffer(unsigned number) {
  io_uring_buf_ring_add(free_buffers_, buffers_ + number * buffer_bytes, buffer_bytes,
                        static_cast<unsigned short>(number), io_uring_buf_ring_mask(buffer_count),
                        0);
  io_uring_buf_ring_advance(free_buffers_, 1);
}

io_uring_sqe& UringRing::next_entry() {
  io_uring_sqe* entry = io_uring_get_sqe(&ring_);
  while (entry == nullptr) {
    submit();
    entry = io_uring_get_sqe(&ring_);
  }
  return *entry;
}

void UringRing::receive_some(int socket, std::uint64_t data) {
  io_uring_sqe& entry = next_entry();
  io_uring_prep_recv(&entry, socket, nullptr, 0, 0);
  select_buffer(entry, data);
}

void UringRing::receive_many(int socket, std::uint64_t data) {
  io_uring_sqe& entry = next_entry();
  io_uring_prep_recv_multishot(&entry, socket, nullptr, 0, 0);
  select_buffer(entry, data);
}

void UringRing::receive_all(int socket, std::span<std::byte> target, std::uint64_t data) {
  io_uring_sqe& entry = next_entry();
  io_uring_prep_recv(&entry, socket, target.data(), target.size(), MSG_WAITALL);
  io_uring_sqe_set_data64(&entry, data);
}

void UringRing::watch(int descriptor, unsigned events, std::uint64_t data) {
  io_uring_sqe& entry = next_entry();
  io_uring_prep_poll_add(&entry, descriptor, events);
  io_uring_sqe_set_data64(&entry, data);
}

void UringRing::cancel(std::uint64_t target, std::uint64_t data) {
  io_uring_sqe& entry = next_entry();
  io_uring_prep_cancel64(&entry, target, 0);
  io_uring_sqe_set_data64(&entry, data);
}

void UringRing::submit() {
  ++system_calls_;
  // An error (interrupted, no memory now) leaves the entries where they are.
  (void)io_uring_submit(&ring_);
}

bool UringRing::next(Completion& completion) {
  if (io_uring_cq_has_overflow(&ring_) && io_uring_cq_ready(&ring_) == 0) {
    ++system_calls_;
    (void)io_uring_get_events(&ring_);
  }
  if (io_uring_cq_ready(&ring_) == 0) return false;
  const unsigned place = *ring_.cq.khead & ring_.cq.ring_mask;
  const io_uring_cqe& entry = ring_.cq.cqes[place];
  completion = {entry.user_data, entry.res, entry.flags};
  io_uring_cq_advance(&ring_, 1);
  return true;
}

bool UringRing::has_completions() const {
  return io_uring_cq_ready(&ring_) > 0 || io_uring_cq_has_overflow(&ring_);
}

void UringRing::wait() {
  ++system_calls_;
  (void)io_uring_enter(static_cast<unsigned>(ring_.ring_fd), 0, 1, IORING_ENTER_GETEVENTS, nullptr);
}

std::span<const std::byte> UringRing::buffer(const Completion& completion) const {
  if ((completion.flags & IORING_CQE_F_BUFFER) == 0 || completion.result <= 0) return {};
  const std::size_t number = completion.flags >> IORING_CQE_BUFFER_SHIFT;
  return {buffers_ + number * buffer_bytes, static_cast<std::size_t>(completion.result)};
}

void UringRing::give_back(const Completion& completion) {
  if ((completion.flags & IORING_CQE_F_BUFFER) != 0)
    add_buffer(completion.flags >> IORING_CQE_BUFFER_SHIFT);
}

}  // namespace suiro::net
