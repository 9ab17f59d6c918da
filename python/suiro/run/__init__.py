# SPDX-License-Identifier: BSD-3-Clause
"""`suiro run`: brings the preloaded library to every rank of a job, and tells what it did there."""
