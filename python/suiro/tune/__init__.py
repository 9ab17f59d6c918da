# SPDX-License-Identifier: BSD-3-Clause
"""Finds the fastest algorithm for each size on a cluster by measuring, and hands the result to
suiro or to the MPI's own selection (the paper on automatic tuning, its strategies A to C)."""
