// Runs a fuzz target for every file of the folders given, and for front parts
// of each as if it had been cut: the committed corpus as an ordinary test, with
// any compiler. Fails when there is no file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size);

namespace {

// More cuts than this bring nothing for a file of a corpus.
constexpr std::size_t cuts_per_file_max = 512;

// A copy of its own, so that a sanitizer sees the first step past the end.
void run (const std::vector<char> &bytes, std::size_t size)
{
    const std::vector<char> input (bytes.begin (), bytes.begin () + static_cast<std::ptrdiff_t> (size));
    LLVMFuzzerTestOneInput (reinterpret_cast<const std::uint8_t *> (input.data ()), input.size ());
}

void replay (const std::filesystem::path &file)
{
    std::ifstream stream (file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char> (stream), std::istreambuf_iterator<char> ()};
    const std::size_t step = 1 + bytes.size () / cuts_per_file_max;
    for (std::size_t size = 0; size < bytes.size (); size += step)
        run (bytes, size);
    run (bytes, bytes.size ());
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
