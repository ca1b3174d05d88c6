// Runs a fuzz target once for every file of the folders given: the committed
// corpus as an ordinary test, with any compiler. Fails when there is no file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size);

namespace {

void replay (const std::filesystem::path &file)
{
    std::ifstream stream (file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char> (stream), std::istreambuf_iterator<char> ()};
    LLVMFuzzerTestOneInput (reinterpret_cast<const std::uint8_t *> (bytes.data ()), bytes.size ());
}

}  // namespace

int main (int count, char **arguments)
{
    std::size_t files = 0;
    for (int i = 1; i < count; ++i) {
        for (const auto &entry : std::filesystem::directory_iterator (arguments[i])) {
            replay (entry.path ());
            ++files;
        }
    }
    std::printf ("%zu inputs replayed\n", files);
    return files > 0 ? 0 : 1;
}
