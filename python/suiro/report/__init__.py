# SPDX-License-Identifier: BSD-3-Clause
"""From results to a page: pure functions, so that a page can be drawn again from saved results."""
