# SPDX-License-Identifier: BSD-3-Clause
"""Measuring: a plan becomes one job, its samples become cells, and cells are shown."""
