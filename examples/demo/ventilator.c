/* ventilator ENDPOINT FILE REPEAT
 *
 * Sends every line of FILE, REPEAT times over, a message each, to whoever
 * pulls from ENDPOINT. Says "bound" and the endpoint once it is reachable,
 * "sent" and a count when all of them are on their way, and hangs up when its
 * standard input ends: a libzmq reader that is behind can lose what still waits
 * in a local socket when the other end is closed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlink/zlink.h>

struct text
{
    char *bytes;
    size_t size;
};

static int fail (const char *what)
{
    fprintf (stderr, "ventilator: %s: %s\n", what, zlink_strerror (zlink_errno ()));
    return 1;
}

/* The whole file; the caller frees bytes, which is null when it went wrong. */
static struct text read_file (const char *name)
{
    struct text text = {NULL, 0};
    FILE *file = fopen (name, "rb");
    long size = -1;
    if (file != NULL && fseek (file, 0, SEEK_END) == 0)
        size = ftell (file);
    if (size > 0 && fseek (file, 0, SEEK_SET) == 0) {
        text.bytes = malloc ((size_t)size);
        if (text.bytes != NULL)
            text.size = fread (text.bytes, 1, (size_t)size, file);
    }
    if (file != NULL)
        fclose (file);
    return text;
}

/* Sends each line without its newline. Answers how many, or -1. */
static long send_lines (void *socket, struct text text)
{
    long sent = 0;
    const char *line = text.bytes;
    const char *end = text.bytes + text.size;
    while (line < end) {
        const char *stop = memchr (line, '\n', (size_t)(end - line));
        if (stop == NULL)
            stop = end;
        while (zlink_send (socket, line, (size_t)(stop - line), 0) < 0)
            if (zlink_errno () != EINTR)
                return -1;
        ++sent;
        line = stop + 1;
    }
    return sent;
}

static int run (void *socket, const char *endpoint, struct text text, long repeat)
{
    char bound[256];
    size_t bound_size = sizeof bound;
    long total = 0;
    if (zlink_bind (socket, endpoint) != 0)
        return fail (endpoint);
    if (zlink_getsockopt (socket, ZLINK_LAST_ENDPOINT, bound, &bound_size) != 0)
        return fail ("LAST_ENDPOINT");
    printf ("bound %s\n", bound);
    fflush (stdout);
    for (long round = 0; round < repeat; ++round) {
        long sent = send_lines (socket, text);
        if (sent < 0)
            return fail ("send");
        total += sent;
    }
    printf ("sent %ld\n", total);
    fflush (stdout);
    while (getchar () != EOF) {}
    return 0;
}

int main (int count, char **arguments)
{
    if (count != 4) {
        fprintf (stderr, "usage: ventilator ENDPOINT FILE REPEAT\n");
        return 2;
    }
    struct text text = read_file (arguments[2]);
    if (text.bytes == NULL) {
        fprintf (stderr, "ventilator: cannot read %s\n", arguments[2]);
        return 1;
    }
    void *context = zlink_ctx_new ();
    void *socket = zlink_socket (context, ZLINK_PUSH);
    int status = socket == NULL ? fail ("socket") : run (socket, arguments[1], text, atol (arguments[3]));
    if (socket != NULL)
        zlink_close (socket);
    zlink_ctx_term (context); /* waits until the last line has left */
    free (text.bytes);
    return status;
}
