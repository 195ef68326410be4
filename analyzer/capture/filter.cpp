// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Compiles and runs filter programs with libpcap, the only part of it that is used here: files are
// read by Reader.
#include "capture/filter.hpp"

#include <pcap.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "capture/link_types.hpp"

namespace analyzer::capture {
namespace {

constexpr int snap_length = 262'144;  // what a program returns for a match; any but 0 will do
constexpr std::size_t maximum_link_types = 64;  // a hostile file may have a new one per packet

// libpcap compiles for its DLT numbers. They are the LINKTYPE numbers of files, with raw IP as the
// one exception among the link types that have a decoder here.
int dlt_of(std::uint16_t link_type) {
  return is_raw_ip(link_type) ? DLT_RAW : link_type;
}

// Without a file at hand libpcap takes a capture for a live one: what the link layer does not tell,
// as the direction or the interface, it asks the kernel for, at offsets that no packet has. Such a
// program would silently never match.
bool asks_the_kernel(const bpf_program& program) {
  constexpr bpf_u_int32 first_kernel_offset = 0xfffff000;
  return std::any_of(program.bf_insns, program.bf_insns + program.bf_len, [](const bpf_insn& step) {
    return BPF_CLASS(step.code) == BPF_LD && BPF_MODE(step.code) == BPF_ABS &&
           step.k >= first_kernel_offset;
  });
}

// The expression for one link type: a program, or why there is none.
class Program {
 public:
  Program(std::uint16_t link_type, const std::string& expression) {
    const std::unique_ptr<pcap_t, decltype(&pcap_close)> compiler(
        pcap_open_dead(dlt_of(link_type), snap_length), &pcap_close);
    if (!compiler) {
      error_ = "out of memory";
      return;
    }
    constexpr int optimize = 1;
    usable_ = pcap_compile(compiler.get(), &program_, expression.c_str(), optimize,
                           PCAP_NETMASK_UNKNOWN) == 0;
    if (!usable_) {
      error_ = pcap_geterr(compiler.get());
    } else if (asks_the_kernel(program_)) {
      pcap_freecode(&program_);
      usable_ = false;
      error_ = "asks for something that is known in a live capture only";
    }
  }
  ~Program() {
    if (usable_) pcap_freecode(&program_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  bool usable() const { return usable_; }
  const std::string& error() const { return error_; }

  bool matches(const Packet& packet) const {
    if (!usable_) return false;
    pcap_pkthdr header{};
    header.caplen = static_cast<bpf_u_int32>(packet.bytes.size());
    header.len = packet.wire_length;
    const auto* bytes = reinterpret_cast<const u_char*>(packet.bytes.data());
    return pcap_offline_filter(&program_, &header, bytes) != 0;
  }

 private:
  bpf_program program_{};
  bool usable_ = false;
  std::string error_;
};

// Some expressions have a meaning on other link layers only, as `ifindex` does.
bool compiles_elsewhere(const std::string& expression) {
  constexpr std::array<std::uint16_t, 7> other_link_types{link_null,           link_raw,  link_loop,
                                                          link_linux_cooked,   link_ipv4, link_ipv6,
                                                          link_linux_cooked_v2};
  return std::any_of(
      other_link_types.begin(), other_link_types.end(),
      [&](std::uint16_t link_type) { return Program(link_type, expression).usable(); });
}

}  // namespace

class Filter::Implementation {
 public:
  explicit Implementation(std::string expression) : expression_(std::move(expression)) {}

  bool matches(const Packet& packet) {
    const Program* program = program_for(packet.link_type);
    return program != nullptr && program->matches(packet);
  }

  std::vector<Refusal> refusals() const {
    std::vector<Refusal> refused;
    for (const auto& [link_type, program] : programs_) {
      if (!program.usable()) refused.push_back({link_type, program.error()});
    }
    return refused;
  }

 private:
  // Null for the link types beyond the limit.
  const Program* program_for(std::uint16_t link_type) {
    const auto found = programs_.find(link_type);
    if (found != programs_.end()) return &found->second;
    if (programs_.size() == maximum_link_types) return nullptr;
    return &programs_.try_emplace(link_type, link_type, expression_).first->second;
  }

  std::string expression_;
  std::map<std::uint16_t, Program> programs_;  // by link type
};

std::optional<Filter> Filter::compile(std::string expression, std::string& error) {
  const Program for_ethernet(link_ethernet, expression);
  if (!for_ethernet.usable() && !compiles_elsewhere(expression)) {
    error = for_ethernet.error();
    return std::nullopt;
  }
  return Filter(std::make_unique<Implementation>(std::move(expression)));
}

Filter::Filter(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;

bool Filter::matches(const Packet& packet) {
  return implementation_->matches(packet);
}

std::vector<Filter::Refusal> Filter::refusals() const {
  return implementation_->refusals();
}

}  // namespace analyzer::capture
