// SPDX-License-Identifier: BSD-3-Clause
// fi_cq: a queue that grows rather than lose a completion. Reading it runs the engine.
#include "fabric/cq.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <exception>

#include "fabric/object.hpp"

namespace suiro::fabric {
namespace {

CompletionQueue& of(fid_cq* handle) { return object_of<CompletionQueue>(&handle->fid); }

/// Each format's entry begins with that of the one before.
std::size_t bytes_of_entry(fi_cq_format format) {
  switch (format) {
    case FI_CQ_FORMAT_MSG:
      return sizeof(fi_cq_msg_entry);
    case FI_CQ_FORMAT_DATA:
      return sizeof(fi_cq_data_entry);
    case FI_CQ_FORMAT_TAGGED:
      return sizeof(fi_cq_tagged_entry);
    default:
      return sizeof(fi_cq_entry);
  }
}

/// What the structure has become since: only for applications that know it so.
struct ErrorEntryWithSource {
  fi_cq_err_entry common;
  fi_addr_t source;
};

int control_queue(fid* handle, int command, void* argument) {
  return object_of<CompletionQueue>(handle).control(command, argument);
}

ssize_t read_queue(fid_cq* queue, void* buffer, std::size_t count) noexcept {
  return of(queue).read(buffer, count, nullptr);
}

ssize_t read_queue_from(fid_cq* queue, void* buffer, std::size_t count,
                        fi_addr_t* sources) noexcept {
  return of(queue).read(buffer, count, sources);
}

ssize_t read_queue_error(fid_cq* queue, fi_cq_err_entry* entry, std::uint64_t) noexcept {
  return of(queue).read_error(entry);
}

ssize_t wait_on_queue(fid_cq* queue, void* buffer, std::size_t count, const void* condition,
                      int timeout_ms) noexcept {
  return of(queue).wait_and_read(buffer, count, nullptr, condition, timeout_ms);
}

ssize_t wait_on_queue_from(fid_cq* queue, void* buffer, std::size_t count, fi_addr_t* sources,
                           const void* condition, int timeout_ms) noexcept {
  return of(queue).wait_and_read(buffer, count, sources, condition, timeout_ms);
}

int signal_queue(fid_cq* queue) {
  of(queue).signal();
  return 0;
}

const char* describe_error(fid_cq*, int provider_error, const void*, char* buffer,
                           std::size_t length) {
  const char* text = std::strerror(provider_error < 0 ? -provider_error : provider_error);
  if (buffer != nullptr && length > 0) {
    std::strncpy(buffer, text, length - 1);
    buffer[length - 1] = '\0';
  }
  return text;
}

fi_ops queue_object_operations =
    operations(close_unused<CompletionQueue>, not_supported, control_queue);
fi_ops_cq queue_operations{.size = sizeof(fi_ops_cq),
                           .read = read_queue,
                           .readfrom = read_queue_from,
                           .readerr = read_queue_error,
                           .sread = wait_on_queue,
                           .sreadfrom = wait_on_queue_from,
                           .signal = signal_queue,
                           .strerror = describe_error};

}  // namespace

CompletionQueue::CompletionQueue(Domain& owner, fi_cq_format format, fi_wait_obj wait_object,
                                 int event_fd)
    : fid_cq{},
      domain(owner),
      entry_bytes_(bytes_of_entry(format)),
      wait_object_(wait_object),
      event_fd_(event_fd) {
  ops = &queue_operations;
}

CompletionQueue::~CompletionQueue() {
  if (event_fd_ >= 0) close(event_fd_);
}

void CompletionQueue::push(const fi_cq_tagged_entry& entry, fi_addr_t source) {
  {
    const std::lock_guard lock(mutex_);
    entries_.push({entry, source});
    filled_.store(entries_.size() + errors_.size(), std::memory_order_release);
  }
  tell_waiting();
}

void CompletionQueue::push_error(const fi_cq_err_entry& entry, fi_addr_t source) {
  {
    const std::lock_guard lock(mutex_);
    errors_.push({entry, source});
    filled_.store(entries_.size() + errors_.size(), std::memory_order_release);
  }
  tell_waiting();
}

void CompletionQueue::tell_waiting() {
  if (event_fd_ < 0 || !armed_.exchange(false)) return;
  [[maybe_unused]] const int written = eventfd_write(event_fd_, 1);  // fails only if it is readable
}

ssize_t CompletionQueue::read(void* buffer, std::size_t count, fi_addr_t* sources) {
  if (filled_.load(std::memory_order_acquire) == 0 || count == 0) {
    // Whoever has just read the last entry asks again to see that it was, and has better to do.
    if (count != 0 && emptied_.exchange(false, std::memory_order_relaxed)) return -FI_EAGAIN;
    endpoints.progress();
    if (filled_.load(std::memory_order_acquire) == 0) return -FI_EAGAIN;
  }
  return take(buffer, count, sources);
}

ssize_t CompletionQueue::take(void* buffer, std::size_t count, fi_addr_t* sources) {
  const std::lock_guard lock(mutex_);
  if (!errors_.empty()) return -FI_EAVAIL;
  if (entries_.empty()) return -FI_EAGAIN;
  const std::size_t taken = std::min(count, entries_.size());
  auto* place = static_cast<std::byte*>(buffer);
  for (std::size_t i = 0; i < taken; ++i, place += entry_bytes_) {
    std::memcpy(place, &entries_.front().visible, entry_bytes_);
    if (sources != nullptr) sources[i] = entries_.front().source;
    entries_.pop();
  }
  filled_.store(entries_.size(), std::memory_order_release);
  emptied_.store(entries_.empty(), std::memory_order_relaxed);
  return static_cast<ssize_t>(taken);
}

ssize_t CompletionQueue::read_error(fi_cq_err_entry* entry) {
  const std::lock_guard lock(mutex_);
  if (errors_.empty()) return -FI_EAGAIN;
  const ErrorEntry& error = errors_.front();
  const std::uint32_t version = domain.version();
  std::memcpy(entry, &error.visible, offsetof(fi_cq_err_entry, err_data));
  // There is nothing to tell in err_data, whose size the structure has had since 1.5.
  if (FI_VERSION_GE(version, FI_VERSION(1, 5))) entry->err_data_size = 0;
  if (FI_VERSION_GE(version, FI_VERSION(1, 20)))
    reinterpret_cast<ErrorEntryWithSource*>(entry)->source = error.source;
  errors_.pop();
  filled_.store(entries_.size() + errors_.size(), std::memory_order_release);
  return 1;
}

ssize_t CompletionQueue::wait_and_read(void* buffer, std::size_t count, fi_addr_t* sources,
                                       const void* condition, int timeout_ms) {
  struct Wanted {
    CompletionQueue& queue;
    std::size_t entries;
  } wanted{*this, 1};
  if (waits_for_threshold)
    wanted.entries = std::clamp<std::size_t>(reinterpret_cast<std::uintptr_t>(condition), 1,
                                             std::max<std::size_t>(count, 1));
  endpoints.progress();
  const auto over = [](void* argument) {
    const auto& asked = *static_cast<Wanted*>(argument);
    return asked.queue.signalled_.load() || asked.queue.holds(asked.entries);
  };
  endpoints.wait(over, &wanted, timeout_ms);
  signalled_ = false;
  return take(buffer, count, sources);
}

bool CompletionQueue::holds(std::size_t entries) {
  const std::lock_guard lock(mutex_);
  return !errors_.empty() || entries_.size() >= entries;
}

bool CompletionQueue::may_wait() {
  eventfd_t told = 0;
  if (event_fd_ >= 0) eventfd_read(event_fd_, &told);
  armed_ = true;
  endpoints.progress();
  return filled_.load() == 0;
}

int CompletionQueue::control(int command, void* argument) {
  switch (command) {
    case FI_GETWAIT:
      if (event_fd_ < 0) return -FI_ENOSYS;
      *static_cast<int*>(argument) = event_fd_;
      armed_ = true;
      return 0;
    case FI_GETWAITOBJ:
      *static_cast<fi_wait_obj*>(argument) = wait_object_;
      return 0;
    default:
      return -FI_ENOSYS;
  }
}

int open_completion_queue(fid_domain* handle, fi_cq_attr* attributes, fid_cq** opened,
                          void* context) try {
  const fi_wait_obj wait_object = attributes->wait_obj;
  int event_fd = -1;
  if (wait_object == FI_WAIT_FD) {
    event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (event_fd < 0) return -errno;
  } else if (wait_object != FI_WAIT_NONE && wait_object != FI_WAIT_UNSPEC &&
             wait_object != FI_WAIT_YIELD) {
    return -FI_ENOSYS;
  }
  auto& domain = object_of<Domain>(&handle->fid);
  auto* queue = new CompletionQueue(domain, attributes->format, wait_object, event_fd);
  queue->waits_for_threshold = attributes->wait_cond == FI_CQ_COND_THRESHOLD;
  queue->fid = {.fclass = FI_CLASS_CQ, .context = context, .ops = &queue_object_operations};
  ++domain.users;
  *opened = queue;
  return 0;
} catch (const std::exception&) {
  return -FI_ENOMEM;
}

}  // namespace suiro::fabric
