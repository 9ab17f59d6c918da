# SPDX-License-Identifier: BSD-3-Clause
"""One file per command: its options, one call into the library, one printer."""
