// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The files of payload_files.hpp, made new or not at all.
#include "commands/payload_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace analyzer::commands {
namespace {

constexpr std::uint64_t file_limit = 100'000;

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

PayloadFiles::~PayloadFiles() {
  if (is_open()) ::close(folder_);
}

bool PayloadFiles::open(const std::string& folder) {
  constexpr mode_t everybody = 0777;  // less what the user's mask takes
  if (::mkdir(folder.c_str(), everybody) == 0 || errno == EEXIST)
    folder_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!is_open()) problem_ = std::strerror(errno);
  return is_open();
}

std::string PayloadFiles::write(const report::MessageRow& row) {
  if (!problem_.empty()) return {};
  if (count_ == file_limit) {
    ++not_written_;
    return {};
  }
  constexpr mode_t readable = 0666;
  const std::string name =
      fmt::format("{:06}-{}-packet-{}.bin", ++count_, word_of(row.way), row.packet);
  const int file = ::openat(folder_, name.c_str(),
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, readable);
  const bool is_written = file >= 0 && write_all(file, row.payload);
  const int error = errno;
  const bool is_closed = file < 0 || ::close(file) == 0;
  if (is_written && is_closed) return name;
  problem_ = fmt::format("{}: {}", name, std::strerror(is_written ? errno : error));
  return {};
}

}  // namespace analyzer::commands
