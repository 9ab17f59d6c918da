// SPDX-License-Identifier: BSD-3-Clause
// What the MPI runs for a call, as schedules that can be played.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "choose/course.hpp"
#include "choose/possible_networks.hpp"
#include "collectives/collectives.hpp"

namespace suiro {

/// An algorithm of the catalog; nullptr: none of these.
struct Candidate {
  const Algorithm* algorithm = nullptr;
  Parameters parameters = {};
};

/// A call, and the networks on which it is played. Refers to all of them.
struct Stage {
  const Surroundings& surroundings;
  const Collective& collective;
  const Topology& topology;
  const std::vector<Network>& networks;
  std::int64_t bytes = 0;
  std::int64_t link_Bps = 0;  // for which messages are cut; 0: as it is told
};

/// Throws std::exception where the schedule cannot be made.
Course course_of(const Candidate& candidate, const Stage& stage);

/// The fastest of these counts.
struct NativeCourses {
  struct Played {
    Candidate candidate;
    Course course;
  };
  std::vector<Played> played = {};
  std::string said;    // "native's ring", or "the best in the books"
  bool known = false;  // it is one, and what the MPI runs
};

/// What the catalog does not have may be faster than anything that is like it: it is taken for the
/// best that is in the books, as is what an MPI runs that was not read. `asked`: all ranks, of
/// which those of the stage may be a sample. Throws as course_of().
NativeCourses native_courses(const Stage& stage, const Topology& asked);

}  // namespace suiro
