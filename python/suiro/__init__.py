# SPDX-License-Identifier: BSD-3-Clause
"""suiro: topology-aware MPI communication on Ethernet, under the MPI that people already run."""

__version__ = "0.1.0"
