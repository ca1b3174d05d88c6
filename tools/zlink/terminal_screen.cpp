#include "tools/zlink/terminal_screen.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace zlink::tool {

namespace {

struct extent
{
    std::size_t rows = 24;
    std::size_t columns = 80;
};

extent size_of_screen () noexcept
{
    winsize found{};
    if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &found) != 0 || found.ws_row == 0 || found.ws_col == 0)
        return {};
    return {found.ws_row, found.ws_col};
}

// A line's first characters, of which none is cut in the middle.
std::string_view fitting (std::string_view line, std::size_t columns) noexcept
{
    const auto continues = [] (char octet) { return (static_cast<unsigned char> (octet) & 0xC0) == 0x80; };
    std::size_t at = 0;
    for (; at < line.size (); ++at)
        if (!continues (line[at]) && columns-- == 0)
            break;
    return line.substr (0, at);
}

}  // namespace

bool terminal_screen::is_there () noexcept { return isatty (STDOUT_FILENO) == 1; }

terminal_screen::terminal_screen ()
{
    if (isatty (STDIN_FILENO) == 1 && tcgetattr (STDIN_FILENO, &before_) == 0) {
        termios keys = before_;
        keys.c_lflag &= ~static_cast<tcflag_t> (ICANON | ECHO);
        reads_keys_ = tcsetattr (STDIN_FILENO, TCSANOW, &keys) == 0;
    }
    std::fputs ("\033[?1049h\033[?25l\033[?7l", stdout);
}

terminal_screen::~terminal_screen ()
{
    std::fputs ("\033[?7h\033[?25h\033[?1049l", stdout);
    std::fflush (stdout);
    if (reads_keys_)
        tcsetattr (STDIN_FILENO, TCSANOW, &before_);
}

void terminal_screen::show (const std::vector<std::string> &lines)
{
    const extent size = size_of_screen ();
    std::string page = "\033[H";
    const std::size_t shown = std::min (lines.size (), size.rows);
    for (std::size_t i = 0; i < shown; ++i) {
        page += fitting (lines[i], size.columns);
        page += i + 1 < size.rows ? "\033[K\r\n" : "\033[K";
    }
    page += shown < size.rows ? "\033[J" : "";
    std::fwrite (page.data (), 1, page.size (), stdout);
    std::fflush (stdout);
}

}  // namespace zlink::tool
