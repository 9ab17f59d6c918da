# SPDX-License-Identifier: BSD-3-Clause
"""`suiro doctor`: what of suiro will work on this machine, or on the hosts of an allocation.

`facts.sh` says what is so on a host, without Python; `facts.py` reads it, from here or through a
launcher from everywhere; `hosts.py`, `job.py` and `here.py` judge.
"""
