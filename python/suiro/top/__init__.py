# SPDX-License-Identifier: BSD-3-Clause
"""What the transport of running processes does, asked over their sockets."""
