// SPDX-License-Identifier: BSD-3-Clause
// fi_send, fi_recv and their kin, and fi_tsend, fi_trecv and theirs: the same calls but for the
// tags. Each says which flags hold, and comes down to a Transfer.
#include <rdma/fi_endpoint.h>
#include <rdma/fi_tagged.h>

#include "fabric/endpoint.hpp"
#include "fabric/info.hpp"
#include "fabric/object.hpp"

namespace suiro::fabric {
namespace {

Endpoint& of(fid_ep* handle) { return object_of<Endpoint>(&handle->fid); }

iovec one(const void* buffer, std::size_t length) { return {const_cast<void*>(buffer), length}; }

/// `Tag` is the type of a tag, or nothing.
template <typename Message, typename... Tag>
struct Calls {
  static constexpr net::Space space =
      sizeof...(Tag) == 0 ? net::Space::untagged : net::Space::tagged;

  static constexpr std::uint64_t number(Tag... tag) { return (std::uint64_t{0} | ... | tag); }

  static ssize_t send_buffers(fid_ep* endpoint, const iovec* buffers, void**, std::size_t count,
                              fi_addr_t destination, Tag... tag, void* context) noexcept {
    return of(endpoint).send({.space = space,
                              .buffers = {buffers, count},
                              .address = destination,
                              .tag = number(tag...),
                              .context = context,
                              .flags = of(endpoint).send_flags()});
  }

  static ssize_t send(fid_ep* endpoint, const void* buffer, std::size_t length, void*,
                      fi_addr_t destination, Tag... tag, void* context) noexcept {
    const iovec buffers = one(buffer, length);
    return send_buffers(endpoint, &buffers, nullptr, 1, destination, tag..., context);
  }

  static ssize_t send_data(fid_ep* endpoint, const void* buffer, std::size_t length, void*,
                           std::uint64_t data, fi_addr_t destination, Tag... tag,
                           void* context) noexcept {
    return send_one(endpoint, one(buffer, length), data, destination, tag..., context,
                    of(endpoint).send_flags() | FI_REMOTE_CQ_DATA);
  }

  static ssize_t send_message(fid_ep* endpoint, const Message* message,
                              std::uint64_t flags) noexcept {
    Transfer transfer = of_message(*message);
    transfer.data = message->data;
    transfer.flags = of(endpoint).send_message_flags() | flags;
    return of(endpoint).send(transfer);
  }

  static ssize_t inject(fid_ep* endpoint, const void* buffer, std::size_t length,
                        fi_addr_t destination, Tag... tag) noexcept {
    return inject_flagged(endpoint, one(buffer, length), 0, destination, tag..., FI_INJECT);
  }

  static ssize_t inject_data(fid_ep* endpoint, const void* buffer, std::size_t length,
                             std::uint64_t data, fi_addr_t destination, Tag... tag) noexcept {
    return inject_flagged(endpoint, one(buffer, length), data, destination, tag...,
                          FI_INJECT | FI_REMOTE_CQ_DATA);
  }

  static ssize_t receive_buffers(fid_ep* endpoint, const iovec* buffers, void**, std::size_t count,
                                 fi_addr_t source, Tag... tag, Tag... ignore,
                                 void* context) noexcept {
    return of(endpoint).receive({.space = space,
                                 .buffers = {buffers, count},
                                 .address = source,
                                 .tag = number(tag...),
                                 .ignore = number(ignore...),
                                 .context = context,
                                 .flags = of(endpoint).receive_flags()});
  }

  static ssize_t receive(fid_ep* endpoint, void* buffer, std::size_t length, void*,
                         fi_addr_t source, Tag... tag, Tag... ignore, void* context) noexcept {
    const iovec buffers = one(buffer, length);
    return receive_buffers(endpoint, &buffers, nullptr, 1, source, tag..., ignore..., context);
  }

  static ssize_t receive_message(fid_ep* endpoint, const Message* message,
                                 std::uint64_t flags) noexcept {
    Transfer transfer = of_message(*message);
    transfer.flags = of(endpoint).receive_message_flags() | flags;
    return of(endpoint).receive(transfer);
  }

  template <typename Operations>
  static constexpr Operations operations{.size = sizeof(Operations),
                                         .recv = receive,
                                         .recvv = receive_buffers,
                                         .recvmsg = receive_message,
                                         .send = send,
                                         .sendv = send_buffers,
                                         .sendmsg = send_message,
                                         .inject = inject,
                                         .senddata = send_data,
                                         .injectdata = inject_data};

 private:
  static Transfer of_message(const Message& message) {
    Transfer transfer{.space = space,
                      .buffers = {message.msg_iov, message.iov_count},
                      .address = message.addr,
                      .context = message.context};
    if constexpr (sizeof...(Tag) > 0) {
      transfer.tag = message.tag;
      transfer.ignore = message.ignore;
    }
    return transfer;
  }

  static ssize_t send_one(fid_ep* endpoint, const iovec& buffer, std::uint64_t data,
                          fi_addr_t destination, Tag... tag, void* context, std::uint64_t flags) {
    return of(endpoint).send({.space = space,
                              .buffers = {&buffer, 1},
                              .address = destination,
                              .tag = number(tag...),
                              .data = data,
                              .context = context,
                              .flags = flags});
  }

  /// Never tells that it is complete.
  static ssize_t inject_flagged(fid_ep* endpoint, const iovec& buffer, std::uint64_t data,
                                fi_addr_t destination, Tag... tag, std::uint64_t flags) {
    if (buffer.iov_len > inject_bytes) return -FI_EINVAL;
    return send_one(endpoint, buffer, data, destination, tag..., nullptr, flags);
  }
};

}  // namespace

fi_ops_msg message_operations = Calls<fi_msg>::operations<fi_ops_msg>;
fi_ops_tagged tagged_operations = Calls<fi_msg_tagged, std::uint64_t>::operations<fi_ops_tagged>;

}  // namespace suiro::fabric
