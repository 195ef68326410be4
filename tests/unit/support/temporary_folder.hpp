// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A folder that is gone when the test is over, and files in it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/packet_builder.hpp"

namespace support {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(testing::TempDir() + "folder-XXXXXX") {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string at(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file and gives its path.
  std::string write(const std::string& name, Bytes bytes) const {
    std::ofstream(at(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return at(name);
  }

 private:
  std::string path_;
};

}  // namespace support
