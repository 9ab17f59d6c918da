# SPDX-License-Identifier: BSD-3-Clause
"""What a real network does to many-to-one traffic, found out from its hosts."""
