// The calls into the kernel that workspaces need, each with a name of its own and with what it
// fails with as a value.
//
// A *name* is one component of a path: no `/`, not `.` or `..`. What is opened by name is never
// reached through a link.
//
// Threads     plain functions of their arguments.
// Fails with  the errno. EINTR is retried.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "data/workspace/handle.h"

namespace cairn {

// What to use of the kernel. False is as if it had none of it, which tests want to see.
struct Kernel {
  bool openat2 = true;
  bool proc = true;
  bool rename_noreplace = true;
};

namespace os {

template <typename T>
using Outcome = std::expected<T, int>;

using Stat = struct statx;

inline bool is_file(const Stat& stat) { return S_ISREG(stat.stx_mode); }
inline bool is_directory(const Stat& stat) { return S_ISDIR(stat.stx_mode); }
inline bool is_link(const Stat& stat) { return S_ISLNK(stat.stx_mode); }
bool same_inode(const Stat& a, const Stat& b);
// The same inode, and nothing was written into it in between.
bool same_content(const Stat& a, const Stat& b);

Outcome<Stat> stat(int fd);
// Of a link itself.
Outcome<Stat> stat_name(int directory, const std::string& name);

// A place to start from (O_PATH), or a file that is there, or with O_CREAT a new one.
Outcome<Handle> open_name(int directory, const std::string& name, int flags, mode_t mode = 0);
// Whatever the path leads to below the root, links included; never anything else. O_PATH only.
// An absolute link is EXDEV, even one that leads to below the root. ENOSYS: use open_name.
Outcome<Handle> open_beneath(int root, const char* path, const Kernel& kernel);
// The regular file that an O_PATH handle stands for, for reading; the inode is the same. ENOENT:
// there is no /proc.
Outcome<Handle> reopen(int fd, const Kernel& kernel);
// The directory that an O_PATH handle stands for, for listing.
Outcome<Handle> open_listing(int directory);

// What a link says, from its own O_PATH handle.
Outcome<std::string> read_link(int link);
// Whether it is part of a /proc, whose links lead where no path does.
bool on_proc(int fd);
// Where a handle is, as the kernel sees it now; empty when it cannot tell.
std::string path_of(int fd, const Kernel& kernel);

// As much as there is, at most the room.
Outcome<std::size_t> read_at(int fd, std::uint64_t offset, char* room, std::size_t size);
Outcome<void> write_all(int fd, ByteView bytes);

// Gives `to` up when it is there.
Outcome<void> rename_over(int from_directory, const std::string& from, int to_directory,
                          const std::string& to);
// EEXIST when `to` is there, also when it came in between.
Outcome<void> rename_new(int from_directory, const std::string& from, int to_directory,
                         const std::string& to, const Kernel& kernel);

}  // namespace os
}  // namespace cairn
