// SPDX-License-Identifier: BSD-3-Clause
// fi_eq: applications open and bind them out of habit. Nothing here ends later than its call, so
// that a queue holds only what the application itself writes into it.
#include "fabric/eq.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/object.hpp"

namespace suiro::fabric {
namespace {

struct Event {
  std::uint32_t kind;
  std::vector<std::byte> content;
};

struct EventQueue : fid_eq {
  using Handle = fid_eq;
  explicit EventQueue(Fabric& owner) : fid_eq{}, fabric(owner) {}

  Fabric& fabric;
  std::mutex mutex;
  std::condition_variable written;
  std::deque<Event> events;
};

int close_event_queue(fid* handle) {
  auto& queue = object_of<EventQueue>(handle);
  --queue.fabric.users;
  delete &queue;
  return 0;
}

ssize_t take(EventQueue& queue, std::uint32_t* kind, void* buffer, std::size_t length,
             std::uint64_t flags) {
  if (queue.events.empty()) return -FI_EAGAIN;
  const Event& event = queue.events.front();
  if (event.content.size() > length) return -FI_ETOOSMALL;
  const auto bytes = static_cast<ssize_t>(event.content.size());
  *kind = event.kind;
  std::copy(event.content.begin(), event.content.end(), static_cast<std::byte*>(buffer));
  if ((flags & FI_PEEK) == 0) queue.events.pop_front();
  return bytes;
}

ssize_t read(fid_eq* handle, std::uint32_t* kind, void* buffer, std::size_t length,
             std::uint64_t flags) {
  auto& queue = object_of<EventQueue>(&handle->fid);
  const std::lock_guard lock(queue.mutex);
  return take(queue, kind, buffer, length, flags);
}

ssize_t read_error(fid_eq*, fi_eq_err_entry*, std::uint64_t) { return -FI_EAGAIN; }

ssize_t write(fid_eq* handle, std::uint32_t kind, const void* buffer, std::size_t length,
              std::uint64_t) {
  auto& queue = object_of<EventQueue>(&handle->fid);
  const auto* begin = static_cast<const std::byte*>(buffer);
  const std::lock_guard lock(queue.mutex);
  queue.events.push_back({kind, {begin, begin + length}});
  queue.written.notify_all();
  return static_cast<ssize_t>(length);
}

ssize_t wait_and_read(fid_eq* handle, std::uint32_t* kind, void* buffer, std::size_t length,
                      int timeout_ms, std::uint64_t flags) {
  auto& queue = object_of<EventQueue>(&handle->fid);
  std::unique_lock lock(queue.mutex);
  const auto filled = [&] { return !queue.events.empty(); };
  if (timeout_ms < 0)
    queue.written.wait(lock, filled);
  else
    queue.written.wait_for(lock, std::chrono::milliseconds(timeout_ms), filled);
  return take(queue, kind, buffer, length, flags);
}

const char* describe_error(fid_eq*, int, const void*, char*, std::size_t) { return "no error"; }

fi_ops event_queue_operations = operations(close_event_queue);
fi_ops_eq event_operations{.size = sizeof(fi_ops_eq),
                           .read = read,
                           .readerr = read_error,
                           .write = write,
                           .sread = wait_and_read,
                           .strerror = describe_error};

}  // namespace

int open_event_queue(fid_fabric* handle, fi_eq_attr* attributes, fid_eq** opened, void* context) {
  // There is no descriptor that could tell.
  if (attributes != nullptr && attributes->wait_obj != FI_WAIT_NONE &&
      attributes->wait_obj != FI_WAIT_UNSPEC && attributes->wait_obj != FI_WAIT_YIELD)
    return -FI_ENOSYS;
  auto& fabric = object_of<Fabric>(&handle->fid);
  auto* queue = new (std::nothrow) EventQueue(fabric);
  if (queue == nullptr) return -FI_ENOMEM;
  queue->fid = {.fclass = FI_CLASS_EQ, .context = context, .ops = &event_queue_operations};
  queue->ops = &event_operations;
  ++fabric.users;
  *opened = queue;
  return 0;
}

}  // namespace suiro::fabric
