# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration: programs that know nothing of suiro, without it and with it, in three labs."""
