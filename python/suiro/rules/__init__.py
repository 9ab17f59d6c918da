# SPDX-License-Identifier: BSD-3-Clause
"""Files that choose algorithms, suiro's and MPIs': what they say, and what is wrong."""
