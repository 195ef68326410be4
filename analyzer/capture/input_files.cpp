// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Lists folders and knows files again. It must not look into files.
#include "capture/input_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace analyzer::capture {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The run of digits at the front, without zeros before it, which is taken away.
std::string_view take_number(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view number = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(number.size());
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

class Lister {
 public:
  void add(const std::string& name) {
    struct stat status {};
    if (name == "-") {
      add_file({name, false, {}}, "-");
    } else if (::stat(name.c_str(), &status) != 0) {
      list_.files.push_back({name, true, {}});  // opening it tells why
    } else if (S_ISDIR(status.st_mode)) {
      add_folder(name);
    } else if (S_ISREG(status.st_mode)) {
      add_file({name, true, {}}, identity(status));
    } else {
      list_.files.push_back({name, false, {}});
    }
  }
  InputFiles take() { return std::move(list_); }

 private:
  static std::string identity(const struct stat& status) {
    return fmt::format("{} {}", status.st_dev, status.st_ino);
  }

  void add_file(InputFile file, std::string identity) {
    const auto [known, is_new] = seen_.emplace(std::move(identity), file.name);
    if (is_new) {
      list_.files.push_back(std::move(file));
    } else {
      if (file.folder) list_.folders[*file.folder].has_read_file = true;
      list_.skipped.push_back(
          {file.name, known->second == file.name
                          ? std::string("named twice, read once")
                          : fmt::format("the same file as {}, read once", known->second)});
    }
  }

  void add_folder(const std::string& name) {
    std::error_code error;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator entry(name, error), end; !error && entry != end;
         entry.increment(error)) {
      std::string file = entry->path().filename().string();
      if (!file.starts_with('.')) names.push_back(std::move(file));
    }
    std::sort(names.begin(), names.end(), is_naturally_before);
    const std::size_t folder = list_.folders.size();
    list_.folders.push_back(
        {name, error ? "cannot be listed: " + error.message() : "", names.empty(), false});
    for (const std::string& file : names)
      add_entry((std::filesystem::path(name) / file).string(), folder);
  }

  void add_entry(std::string name, std::size_t folder) {
    struct stat status {};
    if (::stat(name.c_str(), &status) != 0) {
      list_.files.push_back({std::move(name), true, folder});
    } else if (S_ISREG(status.st_mode)) {
      add_file({std::move(name), true, folder}, identity(status));
    } else {
      list_.skipped.push_back({std::move(name), S_ISDIR(status.st_mode)
                                                    ? "a folder; name it to read it"
                                                    : "a pipe, socket or device"});
    }
  }

  InputFiles list_;
  std::map<std::string, std::string> seen_;  // names by identity
};

}  // namespace

bool is_naturally_before(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view number_a = take_number(a);
      const std::string_view number_b = take_number(b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

InputFiles list_input_files(const std::vector<std::string>& names) {
  Lister lister;
  for (const std::string& name : names) lister.add(name);
  return lister.take();
}

}  // namespace analyzer::capture
