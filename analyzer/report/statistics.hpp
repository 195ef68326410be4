// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fills the model of a report from what happens on connections.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/memory.hpp"
#include "connection/connection.hpp"
#include "connection/frame.hpp"
#include "report/diagnosis.hpp"
#include "report/model.hpp"

namespace analyzer::report {

class Statistics final : public connection::FrameObserver {
 public:
  // `checks_stored`: whether the checksums of batches that servers send are checked as well.
  explicit Statistics(std::set<std::uint16_t> named_ports, bool checks_stored = false,
                      const capture::MemoryPlan& memory = capture::MemoryPlan())
      : diagnosis_(std::move(named_ports)),
        checks_stored_(checks_stored),
        memory_(memory),
        empty_(memory.entries(empty_rows_limit)) {}

  // The numbers that do not come from connections are filled in by the caller.
  Model& model() { return model_; }
  void clock(const capture::TimeOrder& order);
  // Adds the findings; the last call.
  Model finish();

  std::uint32_t wanted_body(const connection::Facts& facts) const override;
  bool checks_bodies() const override { return true; }
  void frame(const connection::Connection& connection, const connection::Frame& frame) override;
  void resolved(const connection::Connection& connection, const connection::Request& request,
                const Outcome& outcome,
                const std::optional<connection::AnswerPlace>& answer) override;
  void hole(const connection::Connection& connection, stream::Direction from,
            const stream::Hole& hole, bool hides_frames) override;
  void skipped(const connection::Connection& connection, stream::Direction from,
               const connection::Skipped& skipped) override;
  void contradiction(const connection::Connection& connection, connection::Side from,
                     connection::Contradiction why, std::uint64_t packet) override;
  void ended(const connection::Connection& connection, stream::Ending ending) override;
  void without_bytes(const stream::TcpFacts& facts) override;

 private:
  // Rows of connections without data.
  static constexpr std::size_t empty_rows_limit = 1'000;
  void list(const connection::Connection& connection);
  struct Counts;
  // A hole of the model whose sender and sequence number are known when its connection ends.
  struct OpenHole {
    std::size_t place = 0;
    stream::Direction from{};
    std::uint64_t offset = 0;
  };
  void list_hole(const connection::Connection& connection, const OpenHole& open,
                 const HoleSummary& hole);
  void place_holes(const connection::Connection& connection, const Counts& counts);
  void count_tcp_facts(const connection::Connection& connection);

  struct Counts {
    std::uint64_t requests = 0;
    std::uint64_t failed = 0;
    std::vector<OpenHole> holes;
  };

  Model model_;
  Diagnosis diagnosis_;
  bool checks_stored_;
  capture::MemoryPlan memory_;
  EmptyConnectionTable empty_;
  std::uint64_t login_bytes_ = 0;                     // in the model
  std::size_t cut_bodies_listed_ = 0;                 // holes of the model
  std::unordered_map<std::uint64_t, Counts> counts_;  // of connections that live, by id
};

}  // namespace analyzer::report
