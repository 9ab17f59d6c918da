// SPDX-License-Identifier: BSD-3-Clause
// dtpools includes the result of its configure by a path that begins with `..`: found from
// `include` beside this file. It needs nothing that C itself does not promise.
#pragma once
