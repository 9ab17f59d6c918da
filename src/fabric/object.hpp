// SPDX-License-Identifier: BSD-3-Clause
// What all objects of the provider share. Each derives from the C structure that libfabric knows it
// by, and hands out a pointer to that.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#include <cstdint>
#include <string_view>

namespace suiro::fabric {

constexpr const char* provider_name = "suiro";

/// The object behind a handle, whose first member is `handle`.
template <class Object>
Object& object_of(fid* handle) {
  return static_cast<Object&>(*reinterpret_cast<typename Object::Handle*>(handle));
}

/// Closes an object, unless endpoints use it. Its domain is free of it then.
template <class Object>
int close_unused(fid* handle) {
  auto& object = object_of<Object>(handle);
  if (object.users.load() != 0) return -FI_EBUSY;
  --object.domain.users;
  delete &object;
  return 0;
}

/// Stands in an operation table for what the provider does not do; takes any operation's form.
template <class Result, class... Arguments>
Result not_supported(Arguments...) {
  return static_cast<Result>(-FI_ENOSYS);
}

/// What can be done with any object.
constexpr fi_ops operations(int (*close)(fid*),
                            int (*bind)(fid*, fid*, std::uint64_t) = not_supported,
                            int (*control)(fid*, int, void*) = not_supported) {
  return {.size = sizeof(fi_ops),
          .close = close,
          .bind = bind,
          .control = control,
          .ops_open = not_supported,
          .tostr = not_supported,
          .ops_set = not_supported};
}

}  // namespace suiro::fabric
