// SPDX-License-Identifier: BSD-3-Clause
// A block of any derived datatype goes out as (address, count, type), exactly as the user described
// it, and several blocks of a regular buffer as so many times the count. Blocks of scratch are
// MPI_PACKED, which MPI matches with any type. Waiting is ours: MPI_Testsome in a loop lets a
// crowded node give its cores away, whatever the MPI underneath would do while it waits.
#include "mpi/carry/mpi_transport.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "mpi/carry/node_memory.hpp"
#include "mpi/underneath/copies.hpp"
#include "mpi/underneath/fault_tolerance.hpp"
#include "mpi/underneath/point_to_point.hpp"

namespace suiro::mpi {

namespace {

constexpr int message_tag = 0;

}  // namespace

MpiTransport::MpiTransport(const Carrier& carrier, const Places& places, MPI_Op op,
                           InFlight& in_flight, bool direct)
    : twin_(carrier.twin),
      user_(carrier.user),
      places_(places),
      op_(op),
      in_flight_(in_flight),
      waiting_(carrier.waiting),
      direct_(direct),
      node_(carrier.node),
      rank_(carrier.rank),
      all_wait_(carrier.all_wait) {
  in_flight_.signals.clear();
  in_flight_.requests.clear();
  in_flight_.operations.clear();
}

bool MpiTransport::check(int code) {
  if (code != MPI_SUCCESS && error_ == MPI_SUCCESS) error_ = code;
  last_code_ = code;
  return code == MPI_SUCCESS;
}

const UserBuffer& MpiTransport::buffer_of(Buffer buffer) const {
  if (buffer == Buffer::send) return places_.send;
  return buffer == Buffer::receive ? places_.receive : places_.work;
}

/// Where slots begin.
char* MpiTransport::slots(Buffer buffer, int owner) const {
  if (buffer == Buffer::scratch) return places_.scratch.base;
  return node_->blocks(owner < 0 ? rank_ : owner);
}

/// Blocks first .. first + count - 1 of a range. Pieces in slots follow each other.
Part MpiTransport::part(const Blocks& range, std::int64_t first, std::int64_t count,
                        int owner) const {
  if (count == 0) return {nullptr, 0, MPI_BYTE};
  if (!is_slots(range.buffer)) {
    return buffer_of(range.buffer).blocks(range.first + first, count);
  }
  const MPI_Count bytes = places_.scratch.block_bytes;
  char* place = slots(range.buffer, owner) + range.first * bytes;
  if (!cut()) return {place + first * bytes, count * bytes, MPI_PACKED};
  const UserBuffer& work = places_.work;
  return {place + work.cut.size(range.piece, first) * work.unit_bytes,
          work.cut.size(range.piece + first, count), work.type};
}

/// Of those that are left of a range from `first` on, as many as MPI can count the bytes of, or the
/// elements that pieces have, so that both ends cut alike; a block is never cut.
std::int64_t MpiTransport::blocks_per_message(const Blocks& range, std::int64_t first) const {
  std::int64_t count = range.count - first;
  if (!cut()) {
    const MPI_Count bytes =
        std::clamp<MPI_Count>(places_.scratch.block_bytes, 1, merged_block_bytes_maximum);
    return std::min<std::int64_t>(count, merged_block_bytes_maximum / bytes);
  }
  while (count > 1 && part(range, first, count).count > merged_block_bytes_maximum) count /= 2;
  return count;
}

template <class Start>
int MpiTransport::start(const Blocks& blocks, InFlight::Operation operation, Start&& start_one) {
  int messages = 0;
  std::int64_t done = 0;
  do {
    const std::int64_t count = blocks_per_message(blocks, done);
    const Part message = part(blocks, done, count);
    MPI_Request request = MPI_REQUEST_NULL;
    ++messages;
    done += count;
    if (!check(start_one(message, &request))) {
      if (!refuse(operation)) return -1;
      continue;
    }
    operation.awaits_payload = !operation.sends && !direct_ && bytes_of(message) > 0;
    in_flight_.requests.push_back(request);
    in_flight_.operations.push_back(operation);
    moved_ = moved_ || operation.sends;
  } while (done < blocks.count);
  return messages;
}

/// An operation whose peer has failed is over. False when MPI refused it for another reason.
bool MpiTransport::refuse(InFlight::Operation operation) {
  if (!tells_failed_process(last_code_)) return false;
  refused_.push_back({operation.token, !operation.sends});
  moved_ = true;
  return true;
}

bool MpiTransport::is_signal(const Blocks& blocks, int peer) const {
  return node_ != nullptr && blocks.count == 0 && node_->is_near(peer);
}

int MpiTransport::tell(int peer, bool lost) {
  moved_ = true;
  node_->signal(peer, lost);
  return 0;
}

int MpiTransport::send(const Blocks& blocks, int peer, std::int64_t token) {
  if (is_signal(blocks, peer)) return tell(peer, false);
  return start(blocks, {.token = token, .sends = true},
               [&](const Part& part, MPI_Request* request) {
                 return start_send(part, peer, message_tag, twin_, request);
               });
}

int MpiTransport::send_nothing(const Blocks& blocks, int peer, std::int64_t token) {
  if (is_signal(blocks, peer)) return tell(peer, true);
  return start(blocks, {.token = token, .sends = true}, [&](const Part&, MPI_Request* request) {
    return start_send({nullptr, 0, MPI_BYTE}, peer, message_tag, twin_, request);
  });
}

int MpiTransport::receive(const Blocks& blocks, int peer, std::int64_t token) {
  if (is_signal(blocks, peer)) {
    const std::uint64_t number = node_->next_from(peer);
    moved_ = true;
    if (node_->has_come(peer, number) && !node_->is_lost(peer, number)) return 0;
    in_flight_.signals.push_back({peer, number, token});
    return 1;
  }
  return start(blocks, {.token = token}, [&](const Part& part, MPI_Request* request) {
    return start_receive(part, peer, message_tag, twin_, request);
  });
}

/// Asked again and again where there are as many copies as blocks, so it is remembered.
bool MpiTransport::plain(Buffer buffer) {
  if (is_slots(buffer) && !cut()) return true;
  if (buffer_of(buffer).types != nullptr) return false;  // each block has its own
  std::optional<bool>& known = plain_[static_cast<std::size_t>(buffer)];
  if (!known) known = is_plain(buffer_of(buffer).type);
  return *known;
}

bool MpiTransport::copy(const Blocks& source, const Blocks& target, int owner) {
  const Part from = part(source, owner);
  const Part to = part(target);
  // In place; two types at MPI_BOTTOM may say different places.
  if (from.address == to.address && from.type == to.type) return true;
  const bool done = plain(source.buffer) && plain(target.buffer) && copy_plain(from, to);
  if (!done) check(copy_typed(from, to, twin_));
  return true;
}

bool MpiTransport::reduce(const Blocks& source, const Blocks& target, int owner) {
  const Part in = part(source, owner);
  const Part inout = part(target);
  check(reduce_local(in.address, inout.address, inout.count, inout.type, op_));
  return true;
}

bool MpiTransport::wait(std::vector<Ended>& ended, bool all) {
  if (!refused_.empty()) {
    ended.swap(refused_);
    refused_.clear();
    return true;
  }
  if (!in_flight_.signals.empty() && in_flight_.requests.empty()) return wait_for_signals(ended);
  const int count = static_cast<int>(in_flight_.requests.size());
  in_flight_.finished.resize(in_flight_.requests.size());
  in_flight_.statuses.resize(in_flight_.requests.size());
  const bool looks_up = waiting_.must_yield() || survives_failures() || !in_flight_.signals.empty();
  if (all && !looks_up) return wait_for_all(ended);
  const auto wait_some = looks_up ? real.Testsome : real.Waitsome;
  while (true) {
    if (take_signals(ended)) return true;
    int reported = 0;
    const int code = wait_some(count, in_flight_.requests.data(), &reported,
                               in_flight_.finished.data(), in_flight_.statuses.data());
    int done = reported;
    if (code != MPI_SUCCESS) {
      check(error_of(code, done));
      add_dropped(done);
    }
    if (done == MPI_UNDEFINED) check(MPI_ERR_INTERN);  // the schedule waits for nothing
    if (done == MPI_UNDEFINED || (done == 0 && code != MPI_SUCCESS)) return false;
    if (done > 0) {
      note_lost(code, reported, done);
      retire(done, ended);
      return true;
    }
    if (is_revoked(user_)) return check(revoked_code());
    if (waiting_.must_yield()) sched_yield();
  }
}

/// MPI_Waitsome would look at every request again for each that ends. After a failure only those
/// are over of which MPI says so; of the others, statuses may say nothing (MPICH, from the 65th
/// on).
bool MpiTransport::wait_for_all(std::vector<Ended>& ended) {
  std::vector<MPI_Request>& requests = in_flight_.requests;
  std::vector<MPI_Status>& statuses = in_flight_.statuses;
  const int count = static_cast<int>(requests.size());
  const int code = real.Waitall(count, requests.data(), statuses.data());
  int kind = MPI_SUCCESS;
  if (code != MPI_SUCCESS) real.Error_class(code, &kind);
  int done = 0;
  for (int place = 0; place < count; ++place) {
    const auto at = static_cast<std::size_t>(place);
    const int error = statuses[at].MPI_ERROR;
    const bool failed =
        kind == MPI_ERR_IN_STATUS && error != MPI_SUCCESS && error != MPI_ERR_PENDING;
    if (code != MPI_SUCCESS && requests[at] != MPI_REQUEST_NULL && !failed) continue;
    statuses[static_cast<std::size_t>(done)] = statuses[at];
    in_flight_.finished[static_cast<std::size_t>(done++)] = place;
  }
  if (code != MPI_SUCCESS) check(error_of(code, done));
  if (done == 0) return false;
  note_lost(code, done, done);
  retire(done, ended);
  return true;
}

/// Those that have come, if any.
bool MpiTransport::take_signals(std::vector<Ended>& ended) {
  std::vector<InFlight::Signal>& awaited = in_flight_.signals;
  std::erase_if(awaited, [&](const InFlight::Signal& signal) {
    if (!node_->has_come(signal.peer, signal.number)) return false;
    ended.push_back({signal.token, node_->is_lost(signal.peer, signal.number)});
    return true;
  });
  return !ended.empty();
}

/// Nothing of this run waits for MPI, but other messages of the user may have to move.
bool MpiTransport::wait_for_signals(std::vector<Ended>& ended) {
  const auto have_come = [&] { return take_signals(ended); };
  const auto idle = [&] {
    let_mpi_progress(twin_, rank_);
    return !is_revoked(user_);
  };
  return node_->wait(all_wait_, have_come, idle) || check(revoked_code());
}

/// Which of the finished operations are receives that got nothing. MPI tells which of them failed
/// of those that it has reported; where it does not, it may be any.
void MpiTransport::note_lost(int code, int reported, int finished) {
  int kind = MPI_SUCCESS;
  if (code != MPI_SUCCESS) real.Error_class(code, &kind);
  const bool any_may_be = kind != MPI_SUCCESS && kind != MPI_ERR_IN_STATUS;
  for (int i = 0; i < finished; ++i) {
    const auto place = static_cast<std::size_t>(in_flight_.finished[static_cast<std::size_t>(i)]);
    const MPI_Status& status = in_flight_.statuses[static_cast<std::size_t>(i)];
    InFlight::Operation& operation = in_flight_.operations[place];
    if (operation.sends) continue;
    const bool failed = kind == MPI_ERR_IN_STATUS && status.MPI_ERROR != MPI_SUCCESS;
    operation.lost = any_may_be || failed || i >= reported;
    if (operation.lost || !operation.awaits_payload) continue;
    int bytes = 0;
    real.Get_count(&status, MPI_BYTE, &bytes);
    operation.lost = bytes == 0;
  }
}

/// MPI_ERR_IN_STATUS only says where the error is.
int MpiTransport::error_of(int code, int finished) const {
  int kind = MPI_SUCCESS;
  real.Error_class(code, &kind);
  if (kind != MPI_ERR_IN_STATUS || finished == MPI_UNDEFINED) return code;
  const auto end = in_flight_.statuses.begin() + finished;
  const auto failed = std::find_if(in_flight_.statuses.begin(), end, [](const MPI_Status& status) {
    return status.MPI_ERROR != MPI_SUCCESS && status.MPI_ERROR != MPI_ERR_PENDING;
  });
  return failed != end ? failed->MPI_ERROR : code;
}

/// When a message fails, Open MPI 4.1 also drops, and does not report, requests that are under way:
/// it takes what memory held before for their error. They go on unseen, so they count as finished.
void MpiTransport::add_dropped(int& finished) {
  if (finished == MPI_UNDEFINED) return;
  std::vector<int>& places = in_flight_.finished;
  for (int place = 0; place < static_cast<int>(in_flight_.requests.size()); ++place) {
    if (in_flight_.requests[static_cast<std::size_t>(place)] != MPI_REQUEST_NULL) continue;
    const auto end = places.begin() + finished;
    if (std::find(places.begin(), end, place) == end) {
      places[static_cast<std::size_t>(finished++)] = place;
    }
  }
}

void MpiTransport::retire(int finished, std::vector<Ended>& ended) {
  moved_ = true;
  // Highest place first, so that the last request, which takes the place, is never itself a
  // finished one.
  const auto begin = in_flight_.finished.begin();
  std::sort(begin, begin + finished, std::greater<>());
  for (auto next = begin; next != begin + finished; ++next) {
    const auto place = static_cast<std::size_t>(*next);
    MPI_Request& request = in_flight_.requests[place];
    // Some MPIs keep a request whose message failed.
    if (request != MPI_REQUEST_NULL) real.Request_free(&request);
    const InFlight::Operation& operation = in_flight_.operations[place];
    ended.push_back({operation.token, operation.lost});
    request = in_flight_.requests.back();
    in_flight_.operations[place] = in_flight_.operations.back();
    in_flight_.requests.pop_back();
    in_flight_.operations.pop_back();
  }
}

/// MPI promises that a receive ends at once when it is cancelled: taken back, or complete. A send
/// is let go instead: it cannot be taken back (Open MPI never does, MPI 4 deprecates it), to wait
/// for it could last for ever, as its receiver may have given up too, and it only reads.
bool MpiTransport::abandon() {
  for (std::size_t i = 0; i < in_flight_.requests.size(); ++i) {
    MPI_Request& request = in_flight_.requests[i];
    if (request == MPI_REQUEST_NULL) continue;
    if (!in_flight_.operations[i].sends) {
      MPI_Status status;
      int taken_back = 0;
      real.Cancel(&request);
      if (real.Wait(&request, &status) == MPI_SUCCESS) real.Test_cancelled(&status, &taken_back);
      moved_ = moved_ || taken_back == 0;
    }
    if (request != MPI_REQUEST_NULL) real.Request_free(&request);
  }
  in_flight_.requests.clear();
  in_flight_.operations.clear();
  return !moved_;
}

}  // namespace suiro::mpi
