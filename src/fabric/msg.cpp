// SPDX-License-Identifier: BSD-3-Clause
// fi_send, fi_recv and their kin: as in tagged.cpp, but matched by source alone.
#include <rdma/fi_endpoint.h>

#include "fabric/endpoint.hpp"
#include "fabric/info.hpp"
#include "fabric/object.hpp"

namespace suiro::fabric {
namespace {

Endpoint& of(fid_ep* handle) { return object_of<Endpoint>(&handle->fid); }

iovec one(const void* buffer, std::size_t length) { return {const_cast<void*>(buffer), length}; }

ssize_t send_buffers(fid_ep* endpoint, const iovec* buffers, void**, std::size_t count,
                     fi_addr_t destination, void* context) noexcept {
  return of(endpoint).send({.space = net::Space::untagged,
                            .buffers = {buffers, count},
                            .address = destination,
                            .context = context,
                            .flags = of(endpoint).send_flags()});
}

ssize_t send(fid_ep* endpoint, const void* buffer, std::size_t length, void*, fi_addr_t destination,
             void* context) noexcept {
  const iovec buffers = one(buffer, length);
  return send_buffers(endpoint, &buffers, nullptr, 1, destination, context);
}

ssize_t send_data(fid_ep* endpoint, const void* buffer, std::size_t length, void*,
                  std::uint64_t data, fi_addr_t destination, void* context) noexcept {
  const iovec buffers = one(buffer, length);
  return of(endpoint).send({.space = net::Space::untagged,
                            .buffers = {&buffers, 1},
                            .address = destination,
                            .data = data,
                            .context = context,
                            .flags = of(endpoint).send_flags() | FI_REMOTE_CQ_DATA});
}

ssize_t send_message(fid_ep* endpoint, const fi_msg* message, std::uint64_t flags) noexcept {
  return of(endpoint).send({.space = net::Space::untagged,
                            .buffers = {message->msg_iov, message->iov_count},
                            .address = message->addr,
                            .data = message->data,
                            .context = message->context,
                            .flags = of(endpoint).send_message_flags() | flags});
}

/// Never tells that it is complete.
ssize_t inject_data(fid_ep* endpoint, const void* buffer, std::size_t length, std::uint64_t data,
                    fi_addr_t destination, std::uint64_t flags) {
  if (length > inject_bytes) return -FI_EINVAL;
  const iovec buffers = one(buffer, length);
  return of(endpoint).send({.space = net::Space::untagged,
                            .buffers = {&buffers, 1},
                            .address = destination,
                            .data = data,
                            .flags = FI_INJECT | flags});
}

ssize_t inject(fid_ep* endpoint, const void* buffer, std::size_t length,
               fi_addr_t destination) noexcept {
  return inject_data(endpoint, buffer, length, 0, destination, 0);
}

ssize_t inject_with_data(fid_ep* endpoint, const void* buffer, std::size_t length,
                         std::uint64_t data, fi_addr_t destination) noexcept {
  return inject_data(endpoint, buffer, length, data, destination, FI_REMOTE_CQ_DATA);
}

ssize_t receive_buffers(fid_ep* endpoint, const iovec* buffers, void**, std::size_t count,
                        fi_addr_t source, void* context) noexcept {
  return of(endpoint).receive({.space = net::Space::untagged,
                               .buffers = {buffers, count},
                               .address = source,
                               .context = context,
                               .flags = of(endpoint).receive_flags()});
}

ssize_t receive(fid_ep* endpoint, void* buffer, std::size_t length, void*, fi_addr_t source,
                void* context) noexcept {
  const iovec buffers = one(buffer, length);
  return receive_buffers(endpoint, &buffers, nullptr, 1, source, context);
}

ssize_t receive_message(fid_ep* endpoint, const fi_msg* message, std::uint64_t flags) noexcept {
  return of(endpoint).receive({.space = net::Space::untagged,
                               .buffers = {message->msg_iov, message->iov_count},
                               .address = message->addr,
                               .context = message->context,
                               .flags = of(endpoint).receive_message_flags() | flags});
}

}  // namespace

fi_ops_msg message_operations{.size = sizeof(fi_ops_msg),
                              .recv = receive,
                              .recvv = receive_buffers,
                              .recvmsg = receive_message,
                              .send = send,
                              .sendv = send_buffers,
                              .sendmsg = send_message,
                              .inject = inject,
                              .senddata = send_data,
                              .injectdata = inject_with_data};

}  // namespace suiro::fabric
