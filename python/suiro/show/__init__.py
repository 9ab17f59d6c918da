# SPDX-License-Identifier: BSD-3-Clause
"""`suiro show`: pictures of schedules. What is drawn comes from `suiro-schedule show --json`, which
counts it from the schedule itself: nothing here knows an algorithm."""
