// SPDX-License-Identifier: BSD-3-Clause
// fi_endpoint: one endpoint of the engine, and where its completions go.
#pragma once

#include <rdma/fi_endpoint.h>
#include <rdma/fi_tagged.h>

#include <memory>
#include <span>

#include "fabric/av.hpp"
#include "fabric/cntr.hpp"
#include "fabric/cq.hpp"
#include "fabric/domain.hpp"
#include "fabric/number_table.hpp"
#include "net/endpoint/endpoint.hpp"

namespace suiro::fabric {

/// One send, receive or peek, in libfabric's words; all calls come down to it.
struct Transfer {
  net::Space space = net::Space::tagged;
  std::span<const iovec> buffers;
  fi_addr_t address = FI_ADDR_UNSPEC;
  std::uint64_t tag = 0;
  std::uint64_t ignore = 0;
  std::uint64_t data = 0;
  void* context = nullptr;
  std::uint64_t flags = 0;  // those that hold for this call, FI_COMPLETION among them
};

class Endpoint final : public fid_ep, private net::CompletionSink {
 public:
  using Handle = fid_ep;
  Endpoint(Domain& domain, const fi_info& info);
  ~Endpoint() override;

  int bind(struct ::fid* other, std::uint64_t flags);
  int enable();
  int get_name(void* place, std::size_t* length) const;
  int get_option(int name, void* value, std::size_t* length) const;
  int set_option(int name, const void* value, std::size_t length);

  /// What an address means; told by the address vector, once the endpoint is enabled.
  void know(fi_addr_t address, const net::Name& name);
  void forget(fi_addr_t address);

  ssize_t send(const Transfer& transfer);
  ssize_t receive(const Transfer& transfer);
  ssize_t cancel(void* context);

  /// Flags of calls that give none, and those that calls with flags have besides.
  std::uint64_t send_flags() const { return sends_.flags; }
  std::uint64_t receive_flags() const { return receives_.flags; }
  std::uint64_t send_message_flags() const { return sends_.message_flags; }
  std::uint64_t receive_message_flags() const { return receives_.message_flags; }

 private:
  /// One of the two directions.
  struct Side {
    CompletionQueue* queue = nullptr;
    Counter* counter = nullptr;
    std::uint64_t flags = 0;
    std::uint64_t message_flags = 0;
  };

  void complete(const net::Completion& completion) override;
  int bind_queue(CompletionQueue& queue, std::uint64_t flags);
  int bind_counter(Counter& counter, std::uint64_t flags);
  ssize_t peek(const Transfer& transfer, const net::Pattern& pattern);
  bool understand(const Transfer& transfer, net::Pattern& pattern) const;
  fi_addr_t address_of(net::Peer peer) const;
  bool directed(net::Space space) const;
  template <typename Act>
  void for_each_bound(Act act);

  Domain& domain_;
  const std::uint64_t capabilities_;
  AddressVector* addresses_ = nullptr;
  Side sends_, receives_;
  std::size_t multi_receive_minimum_ = 64;
  NumberTable peers_;       // by address
  NumberTable address_by_;  // by peer
  std::unique_ptr<net::Endpoint> engine_;
};

int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** endpoint, void* context);

/// In messages.cpp.
extern fi_ops_tagged tagged_operations;
extern fi_ops_msg message_operations;

}  // namespace suiro::fabric
