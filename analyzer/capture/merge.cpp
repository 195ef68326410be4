// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A heap of open files and a list of those whose time has not come. It must not look into packets
// beyond their time.
#include "capture/merge.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace analyzer::capture {
namespace {

// So that the buffers of all files stay small together.
std::size_t block_bytes_for(std::size_t files) {
  constexpr std::size_t of_all_files = std::size_t{2} << 20;
  constexpr std::size_t least = std::size_t{32} << 10;
  return std::clamp(of_all_files / std::max<std::size_t>(files, 1), least,
                    BlockSource::block_bytes);
}

}  // namespace

// One file, with the packet that comes next.
class Merge::Source {
 public:
  Source(InputFile input, std::size_t index, Resources resources)
      : input_(std::move(input)), index_(index), resources_(std::move(resources)) {}

  void open(bool takes_all_memory = false) {
    const std::uint64_t handed_out = is_parked_ ? handed_out_ : 0;
    is_parked_ = false;
    file_ = FileSummary();
    file_.name = input_.name;
    Resources resources = resources_;
    resources.takes_all_memory = takes_all_memory;
    reader_.emplace(input_.name, 1, resources);
    needs_ = 0;
    do advance();
    while (has_packet_ && file_.packets <= handed_out);
  }
  // Forgets the packet at hand until `open`; its time stays.
  void park() {
    handed_out_ = file_.packets - (has_packet_ ? 1 : 0);
    has_packet_ = false;
    is_parked_ = true;
    reader_.reset();
  }
  // Gives the memory back. When it is opened again it takes all that it may need at once, and what
  // was handed out is read once more; this goes once, so that the work stays linear.
  bool park_for_memory() {
    if (!file_.problem.lacks_memory || !input_.is_regular || has_waited_) return false;
    has_waited_ = true;
    park();
    return true;
  }
  void advance() {
    has_packet_ = reader_->next(packet_) == Status::more;
    needs_ = reader_->most_memory();
    if (!has_packet_) return close();
    ++file_.packets;
    if (packet_.has_time) {
      time_ = packet_.time;
      has_time_ = true;
    }
  }
  FileSummary take() {
    if (reader_) note_reader();
    if (is_parked_) file_.packets = handed_out_;
    return std::move(file_);
  }

  bool has_packet() const { return has_packet_; }
  bool is_parked() const { return is_parked_; }
  Packet& packet() { return packet_; }
  const InputFile& input() const { return input_; }
  const Problem& problem() const { return file_.problem; }
  std::span<const Secrets> secrets() const {
    return reader_ ? reader_->secrets() : std::span<const Secrets>();
  }
  // Of the next packet or, where it has none, of the last one that had.
  std::int64_t time() const { return time_; }
  bool has_time() const { return has_time_; }
  bool is_compressed() const { return !reader_->compression().empty(); }
  // At most, by its own word.
  std::uint64_t needs() const { return needs_; }
  bool has_waited() const { return has_waited_; }
  std::size_t index() const { return index_; }
  void move_to(std::size_t index) { index_ = index; }

 private:
  void note_reader() {
    file_.format = reader_->format();
    file_.compression = reader_->compression();
    file_.joined_files = reader_->joined_files();
    file_.secrets = reader_->secrets().size() + reader_->dropped_secrets();
    file_.secrets_bytes = 0;
    for (const Secrets& secrets : reader_->secrets()) file_.secrets_bytes += secrets.data.size();
    file_.problem = reader_->problem();
  }
  void close() {
    note_reader();
    reader_.reset();
  }

  InputFile input_;
  std::size_t index_;
  Resources resources_;
  std::optional<Reader> reader_;  // none while parked, and once used up
  Packet packet_;
  FileSummary file_;
  std::uint64_t handed_out_ = 0;  // packets, before it was parked
  std::uint64_t needs_ = 0;
  std::int64_t time_ = 0;
  bool has_time_ = false;  // of any packet so far
  bool has_packet_ = false;
  bool is_parked_ = false;
  bool has_waited_ = false;  // for memory
};

Merge::Merge(InputFiles input, const Limits& limits)
    : limits_(limits), skipped_(std::move(input.skipped)) {
  const bool are_many = input.files.size() > limits_.kept_open;
  memory_ = std::make_shared<MemoryPool>(limits.memory + limits.lent_memory);
  Resources resources;
  resources.budget = memory_;
  resources.block_bytes = block_bytes_for(input.files.size());
  for (InputFile& file : input.files) {
    auto source = std::make_unique<Source>(std::move(file), sources_.size(), resources);
    source->open();
    if (source->input().folder && source->problem().is_no_capture) {
      skipped_.push_back({source->input().name, source->problem().reason});
      continue;
    }
    const bool is_alone = input.files.size() == 1;
    if (!is_alone && source->has_packet() && source->input().is_regular &&
        (are_many || source->is_compressed()))
      source->park();
    sources_.push_back(std::move(source));
  }
  judge_folders(input.folders);
  sort_folders();
  borrow();
  for (const std::unique_ptr<Source>& source : sources_) {
    if (source->has_packet()) {
      open_.push_back(source.get());
    } else if (source->is_parked()) {
      waiting_.push_back(source.get());
    }
  }
  std::make_heap(open_.begin(), open_.end(), is_later);
  std::sort(waiting_.begin(), waiting_.end(), is_later);
}

Merge::~Merge() = default;

// A folder that gave nothing is told like a file that could not be read.
void Merge::judge_folders(const std::vector<Folder>& folders) {
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const bool gave_files = std::any_of(
        sources_.begin(), sources_.end(),
        [i](const std::unique_ptr<Source>& source) { return source->input().folder == i; });
    const Folder& from = folders[i];
    if (from.error.empty() && (gave_files || from.has_read_file)) continue;
    FileSummary folder;
    folder.name = from.name;
    folder.problem.status = Status::unreadable;
    folder.problem.file = folder.name;
    folder.problem.reason = !from.error.empty() ? from.error
                            : from.is_empty     ? "the folder is empty"
                                                : "no capture is in the folder";
    bad_folders_.push_back(std::move(folder));
  }
}

// The files of one folder stand together; the earliest goes first, and those without times last.
void Merge::sort_folders() {
  auto begin = sources_.begin();
  while (begin != sources_.end()) {
    const auto folder = (*begin)->input().folder;
    const auto end = std::find_if(begin, sources_.end(), [&folder](const auto& source) {
      return source->input().folder != folder;
    });
    if (folder)
      std::stable_sort(begin, end, [](const auto& a, const auto& b) {
        constexpr auto never = std::numeric_limits<std::int64_t>::max();
        return (a->has_time() ? a->time() : never) < (b->has_time() ? b->time() : never);
      });
    begin = end;
  }
  for (std::size_t i = 0; i < sources_.size(); ++i) sources_[i]->move_to(i);
}

bool Merge::is_before(const Source* a, const Source* b) {
  return a->time() != b->time() ? a->time() < b->time() : a->index() < b->index();
}

// What is lent is taken before the first packet, by what the files say that they may need.
void Merge::borrow() {
  std::uint64_t needed = 0;
  for (const std::unique_ptr<Source>& source : sources_) needed += source->needs();
  borrowed_ = std::min(needed - std::min(needed, limits_.memory), limits_.lent_memory);
  memory_->limit_to(limits_.memory + borrowed_);
}

// One that found no memory waits until there is all that it may need.
bool Merge::has_room_for(const Source& source) const {
  return open_.size() < limits_.open_files &&
         (!source.has_waited() || source.needs() <= memory_->left());
}

// Opens the files whose time has come.
void Merge::admit() {
  while (!waiting_.empty() && (open_.empty() || is_before(waiting_.back(), open_.front()))) {
    if (!open_.empty() && !has_room_for(*waiting_.back())) return;
    Source* source = waiting_.back();
    waiting_.pop_back();
    if (source->time() < latest_) ++late_files_;
    source->open(source->has_waited() && source->needs() <= memory_->left());
    if (!source->has_packet()) {
      // It begins again when it is the only one, or has room.
      if (!open_.empty() && source->park_for_memory()) waiting_.push_back(source);
      continue;
    }
    open_.push_back(source);
    std::push_heap(open_.begin(), open_.end(), is_later);
  }
}

void Merge::advance_current() {
  Source* const source = current_;
  source->advance();
  if (source->has_packet()) {
    const bool is_earliest = (open_.empty() || is_before(source, open_.front())) &&
                             (waiting_.empty() || is_before(source, waiting_.back()));
    if (is_earliest) return;
    open_.push_back(source);
    std::push_heap(open_.begin(), open_.end(), is_later);
  } else if (!open_.empty() && source->park_for_memory()) {
    waiting_.push_back(source);
  }
  current_ = nullptr;
}

bool Merge::next(Packet& packet) {
  if (current_ != nullptr) advance_current();
  if (current_ == nullptr) {
    admit();
    if (open_.empty()) return false;
    std::pop_heap(open_.begin(), open_.end(), is_later);
    current_ = open_.back();
    open_.pop_back();
  }
  packet = current_->packet();
  latest_ = std::max(latest_, current_->time());
  if (sources_.size() > 1) packet.number = ++number_;
  return true;
}

std::span<const Secrets> Merge::secrets() const {
  return current_ == nullptr ? std::span<const Secrets>() : current_->secrets();
}

std::vector<FileSummary> Merge::take_files() {
  std::vector<FileSummary> files;
  files.reserve(sources_.size() + bad_folders_.size());
  for (const std::unique_ptr<Source>& source : sources_) files.push_back(source->take());
  for (FileSummary& folder : bad_folders_) files.push_back(std::move(folder));
  return files;
}

}  // namespace analyzer::capture
