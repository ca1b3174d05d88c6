// Replays a target's corpus through the function that the fuzzer calls: every
// file, and front parts of it as if it had been cut. Built once per target;
// the folder comes from the build.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

#include "target.hpp"

namespace zlink::fuzz {
namespace {

// More cuts than this bring nothing for a file of a corpus.
constexpr std::size_t cuts_per_file_max = 512;

std::vector<std::filesystem::path> corpus ()
{
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator (ZLINK_CORPUS_FOLDER))
        files.push_back (entry.path ());
    std::sort (files.begin (), files.end ());
    return files;
}

// A copy that ends where its allocation ends, so that a sanitizer sees the
// first step past the end.
void replay (const std::vector<char> &bytes, std::size_t size)
{
    const std::vector<std::uint8_t> input (bytes.begin (),
                                           bytes.begin () + static_cast<std::ptrdiff_t> (size));
    EXPECT_EQ (LLVMFuzzerTestOneInput (input.data (), input.size ()), 0);
}

TEST (corpus_replay, every_file_whole_and_cut)
{
    const auto files = corpus ();
    ASSERT_FALSE (files.empty ());
    for (const auto &file : files) {
        SCOPED_TRACE (file.filename ().string ());
        std::ifstream stream (file, std::ios::binary);
        ASSERT_TRUE (stream.is_open ());
        const std::vector<char> bytes{std::istreambuf_iterator<char> (stream), {}};
        const std::size_t step = 1 + bytes.size () / cuts_per_file_max;
        for (std::size_t size = 0; size < bytes.size (); size += step)
            replay (bytes, size);
        replay (bytes, bytes.size ());
    }
}

}  // namespace
}  // namespace zlink::fuzz
