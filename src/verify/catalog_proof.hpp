// SPDX-License-Identifier: BSD-3-Clause
// The proof of one row of the catalog: its schedules for all small shapes and for the edges of its
// parameters, its declared properties, and its stated cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/verify.hpp"

namespace suiro {

/// Something that is wrong with, or true of, one schedule.
struct ShapeFinding {
  int ranks = 0;
  std::string schedule;  // "4 ranks on nodes 0 0 1 1, window 2"
  Violation violation;
};

struct PropertyProof {
  Property property;
  bool declared = false;
  std::optional<ShapeFinding> counterexample;  // the smallest one that was found
};

struct CatalogProof {
  const Algorithm* algorithm = nullptr;
  std::int64_t schedules = 0;  // proven or not
  std::vector<ShapeFinding> failures;
  std::vector<PropertyProof> properties;

  bool ok() const { return failures.empty(); }
};

/// Adds what holds and what does not for every shape of `ranks` ranks; call it for 1, 2, ... up to
/// what is wanted.
void prove(CatalogProof& proof, int ranks);

CatalogProof begin_proof(const Algorithm& algorithm);

/// What a proof of the same row for other numbers of ranks has found.
void add(CatalogProof part, CatalogProof& whole);

}  // namespace suiro
