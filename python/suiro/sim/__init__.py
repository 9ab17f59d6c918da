# SPDX-License-Identifier: BSD-3-Clause
"""What the model says: how long collectives take on a network, and where the time goes."""
