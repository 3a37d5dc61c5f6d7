// A trace: what every rank of a run did, in virtual time. One folder, one file per rank, "rank.0", "rank.1",
// ..., written by that rank alone, so that ranks need not agree on anything while they run.
//
// A file is
//   magic (8 bytes)  version (4)  then blocks:  length (4)  CRC-32 of the contents (4)  contents
// with all numbers little-endian. A block is written by one write(), so that a run that is killed or a disk
// that is full leaves whole blocks, and at most one that is cut off. The first block is the header. The
// others hold records, one behind the other; a record does not span blocks. A file whose last record is not
// `closed` is not complete.
//
// Numbers in header and records are LEB128: 7 bits per byte, the lowest first, the highest bit set in all
// bytes but the last. "signed" ones are zigzag: 0, -1, 1, -2, ... are 0, 1, 2, 3. Intervals are in
// picoseconds. Text is its length and its bytes.
//
// Header: rank, ranks, target's name (text), program's name (text), the rank's node, what the target calls
// nodes like it (text).
//
// Record: a byte that tells its kind, then
//   text      text                           the next number of a text, from 0; what `enter` and `begin`
//   refer to enter     elapsed, text                  an MPI call begins; `elapsed` was computed since the
//   record before leave                                    and ends sent      wait, cost, message kind, to,
//   tag (signed), bytes, context, flight
//                                            a message leaves, after `wait` for the gap g, and `cost` of
//                                            overhead; it is at the receiver `flight` later if nothing is in
//                                            its way. The n-th such record of a rank, from 0, is that of its
//                                            message with sequence n.
//   received  wait, cost, flags, from, sequence, tag (signed), bytes, context [from, sequence]
//                                            a message is acted upon after `wait` for it and `cost` of
//                                            overhead. Flags: message kind, and `other` if what was waited
//                                            for is another message, whose rank and sequence follow (it held
//                                            this one up, or kept a card busy)
//   found     as received                    a probe found it
//   polled    cost, polls                    polls that answered false
//   collective  context                      the call at hand is a collective one on this communicator
//   begin     elapsed, text                  a named interval begins
//   end       elapsed                        and the last that began ends
//   finish    elapsed, instant, failed, path  the entry to MPI_Finalize, and what follows is left of handshakes;
//                                          or, failed being 1 and not 0, its node's failure for good
//   closed                                 nothing follows
//   waited    wait, what [from, sequence] [rank, instant]
//                                          what: 0, for a node to fail for good; its rank, and when, follow. Its own:
//                                          what it had begun to pay is in it. 1, for a message, which follows, or 2,
//                                          for the gap g; and its own node failed in what came next
//   system    time                         of what the next record has as elapsed, the system took so much
//   outage    from, length                 the rank's node is down from the instant `from` on for so long;
//                                          stands before all but texts, in order. Elapsed, wait and polls'
//                                          cost include what of them lies in outages
// path: the causes and the weights of the path to the finish, in the order of trace/path.h; of a weight, the bits of
// the double (IEEE 754) as an unsigned number, 8 bytes. All that the clock
// moves by is in exactly one elapsed, wait or cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace emu::trace {

inline constexpr std::string_view magic = "emutrace";
inline constexpr std::uint32_t version = 5;
inline constexpr std::size_t preamble = 12;     // bytes of magic and version
inline constexpr std::size_t block_header = 8;  // bytes before a block's contents
inline constexpr std::uint32_t longest_block = 1 << 20;

enum class Record : std::uint8_t {
  text = 1,
  enter,
  leave,
  sent,
  received,
  found,
  polled,
  collective,
  begin,
  end,
  finish,
  closed,
  outage,
  system,
  waited,
};

// What a record `waited` is about.
enum class Awaited : std::uint8_t { failure, message, gap };

inline constexpr std::uint8_t other_flag = 0x40;
inline constexpr int message_kinds = 5;  // match::Message::Kind: eager, request, answer, data, join

// The file of `rank` in a trace.
inline std::string file_of(const std::string& folder, int rank) {
  return folder + "/rank." + std::to_string(rank);
}

std::uint32_t checksum(const std::uint8_t* data, std::size_t size);

}  // namespace emu::trace
