// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The source that reads a file descriptor. It must not read ahead or buffer: BlockSource does.
#include "capture/byte_source.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace analyzer::capture {
namespace {

std::string message_of(int error_number) {
  return std::generic_category().message(error_number);
}

ReadResult failure(int error_number) {
  return {0, {ReadError::Kind::system, message_of(error_number), 0}};
}

class DescriptorSource final : public ByteSource {
 public:
  DescriptorSource(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
  ~DescriptorSource() override {
    if (owned_) ::close(descriptor_);
  }
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;

  ReadResult read(std::span<std::byte> into) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, into.data(), into.size());
      if (count >= 0) return {static_cast<std::size_t>(count), {}};
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return failure(errno);
      // Standard input may be a pipe that another program made non-blocking.
      pollfd waiting{descriptor_, POLLIN, 0};
      if (::poll(&waiting, 1, -1) < 0 && errno != EINTR) return failure(errno);
    }
  }

 private:
  int descriptor_;
  bool owned_;  // standard input belongs to the program, not to its reader
};

}  // namespace

std::unique_ptr<ByteSource> open_byte_source(const std::string& path, std::string& error) {
  if (path == "-") return std::make_unique<DescriptorSource>(STDIN_FILENO, false);
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) {
    error = message_of(errno);
    return nullptr;
  }
  return std::make_unique<DescriptorSource>(descriptor, true);
}

}  // namespace analyzer::capture
