// SPDX-License-Identifier: BSD-3-Clause
// fi_cntr: how many operations have ended, well or not.
#include "fabric/cntr.hpp"

#include <new>

#include "fabric/object.hpp"

namespace suiro::fabric {
namespace {

Counter& of(fid_cntr* handle) { return object_of<Counter>(&handle->fid); }

std::uint64_t read(fid_cntr* handle) {
  of(handle).endpoints.progress();
  return of(handle).successes.load();
}

std::uint64_t read_errors(fid_cntr* handle) {
  of(handle).endpoints.progress();
  return of(handle).errors.load();
}

int add(fid_cntr* handle, std::uint64_t value) {
  of(handle).successes += value;
  return 0;
}

int add_errors(fid_cntr* handle, std::uint64_t value) {
  of(handle).errors += value;
  return 0;
}

int set(fid_cntr* handle, std::uint64_t value) {
  of(handle).successes = value;
  return 0;
}

int set_errors(fid_cntr* handle, std::uint64_t value) {
  of(handle).errors = value;
  return 0;
}

struct Threshold {
  Counter& counter;
  std::uint64_t successes;
  std::uint64_t errors_before;

  bool reached() const { return counter.successes.load() >= successes; }
  bool failed() const { return counter.errors.load() != errors_before; }
};

int wait(fid_cntr* handle, std::uint64_t value, int timeout_ms) {
  Counter& counter = of(handle);
  Threshold threshold{counter, value, counter.errors.load()};
  const auto over = [](void* argument) {
    const auto& asked = *static_cast<Threshold*>(argument);
    return asked.reached() || asked.failed();
  };
  if (!counter.endpoints.wait(over, &threshold, timeout_ms)) return -FI_ETIMEDOUT;
  return threshold.reached() ? 0 : -FI_EAVAIL;
}

fi_ops counter_object_operations = operations(close_unused<Counter>);
fi_ops_cntr counter_operations{.size = sizeof(fi_ops_cntr),
                               .read = read,
                               .readerr = read_errors,
                               .add = add,
                               .set = set,
                               .wait = wait,
                               .adderr = add_errors,
                               .seterr = set_errors};

}  // namespace

int open_counter(fid_domain* handle, fi_cntr_attr* attributes, fid_cntr** opened, void* context) {
  const fi_wait_obj object = attributes != nullptr ? attributes->wait_obj : FI_WAIT_UNSPEC;
  if (object != FI_WAIT_NONE && object != FI_WAIT_UNSPEC && object != FI_WAIT_YIELD)
    return -FI_ENOSYS;
  auto& domain = object_of<Domain>(&handle->fid);
  auto* counter = new (std::nothrow) Counter(domain);
  if (counter == nullptr) return -FI_ENOMEM;
  counter->fid = {.fclass = FI_CLASS_CNTR, .context = context, .ops = &counter_object_operations};
  counter->ops = &counter_operations;
  ++domain.users;
  *opened = counter;
  return 0;
}

}  // namespace suiro::fabric
