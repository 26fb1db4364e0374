#include "data/store/open.h"

#include "data/store/embedded_store.h"
#include "data/store/memory_backend.h"
#include "data/store/rocks_backend.h"

namespace cairn {

Result<std::unique_ptr<Store>> open_rocks_store(const std::filesystem::path& directory,
                                                const Clock& clock, StoreOptions options) {
  auto backend = TRY(RocksBackend::open(directory / "store",
                                        {.create = options.create,
                                         .memory = {.block_cache = options.block_cache_bytes,
                                                    .write_buffers = options.write_buffer_bytes},
                                         .is_commit = options.is_commit,
                                         .reserve_bytes = options.reserve_bytes}));
  return TRY(EmbeddedStore::open(std::move(backend), clock, options));
}

std::unique_ptr<Store> make_memory_store(const Clock& clock, StoreOptions options) {
  // An empty backend has nothing that could be refused.
  return EmbeddedStore::open(std::make_unique<MemoryBackend>(), clock, options).value();
}

}  // namespace cairn
