# SPDX-License-Identifier: BSD-3-Clause
"""What is known of the user's cluster, kept in a file: its sites, and the ways between them."""
