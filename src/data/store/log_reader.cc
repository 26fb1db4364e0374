#include "data/store/log_reader.h"

#include <charconv>
#include <optional>

#include "base/os/os_error.h"
#include "data/store/crc32c.h"

namespace cairn {
namespace {

constexpr std::size_t kLogBlock = 32 * 1024;
constexpr std::size_t kLogHeader = 7;

enum FragmentType : unsigned char { kWhole = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

std::uint64_t little_endian(ByteView bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

// What a header says, and whether its content agrees.
struct Fragment {
  unsigned char type = 0;
  ByteView content;
  bool intact = false;

  std::size_t size() const { return kLogHeader + content.size(); }
};

// Nothing where no fragment fits.
std::optional<Fragment> fragment_at(ByteView block, std::size_t at) {
  if (block.size() < at + kLogHeader) return std::nullopt;
  const ByteView header = block.substr(at, kLogHeader);
  const auto length = little_endian(header.substr(4, 2));
  Fragment found{.type = static_cast<unsigned char>(header[6]), .content = {}};
  if (found.type < kWhole || found.type > kLast) return std::nullopt;
  if (block.size() < at + kLogHeader + length) return std::nullopt;
  found.content = block.substr(at + kLogHeader, length);
  const std::uint32_t sum = crc32c(block.substr(at + 6, 1 + length));
  found.intact = masked_crc32c(sum) == little_endian(header.substr(0, 4));
  return found;
}

bool all_zero(ByteView bytes) { return bytes.find_first_not_of('\0') == ByteView::npos; }

class LogScan final {
 public:
  explicit LogScan(const std::function<void(LogPiece)>& visit) : visit_(visit) {}

  void block(ByteView block, std::uint64_t offset, bool last) {
    std::size_t at = 0;
    while (at < block.size()) {
      if (block.size() - at < kLogHeader) {
        // The end of a block; or of a file that was cut off.
        if (last && block.size() < kLogBlock) {
          damage(offset + at, offset + block.size(), "it ends in the middle of a record");
        }
        return;
      }
      at = step(block, offset, at, last);
    }
  }

  void end(std::uint64_t size) {
    if (open_) damage(begin_, size, "it ends in the middle of a record");
    if (zeros_) {
      hand_over_damage();
      visit_({LogPiece::Kind::kNothing, *zeros_, size, {}, {}});
      return;
    }
    hand_over_damage();
  }

 private:
  // Returns where to go on.
  std::size_t step(ByteView block, std::uint64_t offset, std::size_t at, bool last) {
    if (all_zero(block.substr(at))) {
      if (open_) damage(begin_, offset + at, "a record has no end");
      if (!zeros_) zeros_ = offset + at;
      return block.size();
    }
    if (zeros_) damage(*zeros_, offset + at, "zeros stand where records were");
    zeros_.reset();
    const auto found = fragment_at(block, at);
    if (found && (found->intact || leads_on(block, at + found->size(), last))) {
      take(*found, offset + at);
      return at + found->size();
    }
    const std::size_t next = next_intact(block, at + 1);
    const bool torn = last && next == block.size();
    damage(open_ ? begin_ : offset + at, offset + next,
           torn ? "it ends in the middle of a record" : "a record does not have its checksum");
    return next;
  }

  // Whether a fragment that ends here may have been one, so that its length can be believed.
  static bool leads_on(ByteView block, std::size_t at, bool last) {
    if (at == block.size()) return last || block.size() == kLogBlock;
    if (block.size() - at < kLogHeader) return block.size() == kLogBlock;
    const auto next = fragment_at(block, at);
    return next && next->intact;
  }

  static std::size_t next_intact(ByteView block, std::size_t from) {
    for (std::size_t at = from; at + kLogHeader <= block.size(); ++at) {
      const auto found = fragment_at(block, at);
      if (found && found->intact && !found->content.empty()) return at;
    }
    return block.size();
  }

  void take(const Fragment& fragment, std::uint64_t at) {
    const bool begins = fragment.type == kWhole || fragment.type == kFirst;
    if (begins && open_) damage(begin_, at, "a record has no end");
    if (!begins && !open_) {
      damage(at, at + fragment.size(), "a record has no beginning");
      return;
    }
    if (begins) {
      begin_ = at;
      batch_.clear();
      intact_ = true;
      open_ = true;
    }
    batch_.append(fragment.content);
    intact_ = intact_ && fragment.intact;
    if (fragment.type == kWhole || fragment.type == kLast) finish(at + fragment.size());
  }

  void finish(std::uint64_t end) {
    open_ = false;
    const bool record = intact_ && batch_.size() >= kBatchHeader;
    hand_over_damage();
    visit_({record ? LogPiece::Kind::kRecord : LogPiece::Kind::kDamage, begin_, end,
            std::move(batch_), record ? "" : "a record does not have its checksum"});
    batch_ = {};
  }

  void damage(std::uint64_t begin, std::uint64_t end, std::string_view why) {
    open_ = false;
    if (damage_ && damage_->end == begin) {
      damage_->end = end;
      return;
    }
    hand_over_damage();
    damage_ = LogPiece{LogPiece::Kind::kDamage, begin, end, {}, std::string(why)};
  }

  void hand_over_damage() {
    if (damage_) visit_(*std::move(damage_));
    damage_.reset();
  }

  const std::function<void(LogPiece)>& visit_;
  bool open_ = false;  // in the middle of a record
  bool intact_ = true;
  std::uint64_t begin_ = 0;
  Bytes batch_;
  std::optional<std::uint64_t> zeros_;  // since where there was nothing else
  std::optional<LogPiece> damage_;
};

}  // namespace

std::uint64_t LogPiece::sequence() const { return little_endian(ByteView(batch).substr(0, 8)); }
std::uint64_t LogPiece::count() const { return little_endian(ByteView(batch).substr(8, 4)); }

Result<void> read_log(const std::filesystem::path& file,
                      const std::function<void(LogPiece)>& visit) {
  const auto handle = TRY(os::checked(os::open_path(file, O_RDONLY), "open", file));
  LogScan scan(visit);
  Bytes block(kLogBlock, '\0');
  Bytes next(kLogBlock, '\0');
  std::uint64_t offset = 0;
  auto read = [&](std::uint64_t at, Bytes& into) {
    return os::checked(os::read_at(handle.fd(), at, into.data(), kLogBlock), "read", file);
  };
  std::size_t size = TRY(read(offset, block));
  while (size > 0) {
    const std::size_t following = size < kLogBlock ? 0 : TRY(read(offset + size, next));
    scan.block(ByteView(block).substr(0, size), offset, following == 0);
    offset += size;
    size = following;
    std::swap(block, next);
  }
  scan.end(offset);
  return {};
}

std::optional<std::uint64_t> log_number(const std::filesystem::path& file) {
  if (file.extension() != ".log") return std::nullopt;
  const std::string stem = file.stem().string();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  if (error != std::errc() || end != stem.data() + stem.size()) return std::nullopt;
  return number;
}

}  // namespace cairn
