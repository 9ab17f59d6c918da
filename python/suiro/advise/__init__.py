# SPDX-License-Identifier: BSD-3-Clause
"""What suiro would do for a cluster that is only described: nothing runs."""
