// SPDX-License-Identifier: BSD-3-Clause
// Built for its precompiled headers only.
int main() { return 0; }
