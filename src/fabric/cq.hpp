// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fi_domain.h>

#include <atomic>
#include <mutex>

#include "fabric/domain.hpp"
#include "fabric/endpoint_set.hpp"
#include "fabric/ring.hpp"

namespace suiro::fabric {

class CompletionQueue : public fid_cq {
 public:
  using Handle = fid_cq;
  CompletionQueue(Domain& domain, fi_cq_format format, fi_wait_obj wait_object, int event_fd);
  ~CompletionQueue();

  /// Called by endpoints, from whatever thread runs the engine.
  void push(const fi_cq_tagged_entry& entry, fi_addr_t source);
  void push_error(const fi_cq_err_entry& entry, fi_addr_t source);

  ssize_t read(void* buffer, std::size_t count, fi_addr_t* sources);
  ssize_t read_error(fi_cq_err_entry* entry);
  ssize_t wait_and_read(void* buffer, std::size_t count, fi_addr_t* sources, const void* condition,
                        int timeout_ms);
  void signal() { signalled_ = true; }
  /// False: there is something to read. Else the descriptor tells when there is.
  bool may_wait();
  int control(int command, void* argument);

  Domain& domain;
  std::atomic<int> users{0};  // endpoints that it is bound to
  EndpointSet endpoints;
  bool waits_for_threshold = false;

 private:
  struct Entry {
    fi_cq_tagged_entry visible;
    fi_addr_t source;
  };
  struct ErrorEntry {
    fi_cq_err_entry visible;
    fi_addr_t source;
  };

  ssize_t take(void* buffer, std::size_t count, fi_addr_t* sources);
  bool holds(std::size_t entries);
  void tell_waiting();

  const std::size_t entry_bytes_;
  const fi_wait_obj wait_object_;
  const int event_fd_;  // -1: none
  std::mutex mutex_;
  Ring<Entry> entries_;
  Ring<ErrorEntry> errors_;
  std::atomic<std::size_t> filled_{0};  // entries and errors, to be asked without the lock
  std::atomic<bool> armed_{false};      // somebody waits for the descriptor
  std::atomic<bool> emptied_{false};    // by the read before
  std::atomic<bool> signalled_{false};
};

int open_completion_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** queue,
                          void* context);

}  // namespace suiro::fabric
