/* sink ENDPOINT EXPECTED
 *
 * Pulls EXPECTED messages, each the word counts of a line ("the 2 of 1", empty
 * for a line without words), and adds them up. Says "bound" and the endpoint,
 * "got" and a count now and then, and at the end a line "word WORD COUNT" for
 * every word. Gives up when nothing comes for 30 seconds.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlink/zlink.h>

enum
{
    PATIENCE_MS = 30000,
    REPORT_EVERY = 20000,
    MESSAGE_BYTES_MAX = 65536,
    WORDS_MAX = 1 << 16, /* slots of the table, a power of two */
    WORD_BYTES_MAX = 64
};

struct word
{
    char text[WORD_BYTES_MAX];
    long count;
};

static struct word words[WORDS_MAX];

static int fail (const char *what)
{
    fprintf (stderr, "sink: %s: %s\n", what, zlink_strerror (zlink_errno ()));
    return 1;
}

/* The word's slot in a table with open addressing, or null when it is full. */
static struct word *slot_of (const char *text)
{
    unsigned hash = 2166136261u;
    for (const char *at = text; *at != '\0'; ++at)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    for (unsigned step = 0; step < WORDS_MAX; ++step) {
        struct word *slot = &words[(hash + step) % WORDS_MAX];
        if (slot->count == 0 || strcmp (slot->text, text) == 0)
            return slot;
    }
    return NULL;
}

/* Adds the counts of one message; 0 when it is well formed. */
static int add_line (char *message)
{
    for (char *text = strtok (message, " "); text != NULL; text = strtok (NULL, " ")) {
        char *number = strtok (NULL, " ");
        struct word *slot = slot_of (text);
        long count = number == NULL ? 0 : atol (number);
        if (slot == NULL || count <= 0 || strlen (text) >= sizeof slot->text)
            return -1;
        if (slot->count == 0)
            strcpy (slot->text, text);
        slot->count += count;
    }
    return 0;
}

static int collect (void *socket, long expected)
{
    static char message[MESSAGE_BYTES_MAX];
    for (long got = 0; got < expected;) {
        int size = zlink_recv (socket, message, sizeof message - 1, 0);
        if (size < 0 && zlink_errno () == EINTR)
            continue;
        if (size < 0) {
            fprintf (stderr, "sink: %ld of %ld came\n", got, expected);
            return fail ("recv");
        }
        if (size >= (int)sizeof message - 1) {
            fprintf (stderr, "sink: a message of %d bytes\n", size);
            return 1;
        }
        message[size] = '\0';
        if (add_line (message) != 0) {
            fprintf (stderr, "sink: message %ld makes no sense\n", got);
            return 1;
        }
        if (++got % REPORT_EVERY == 0 || got == expected) {
            printf ("got %ld\n", got);
            fflush (stdout);
        }
    }
    return 0;
}

static int run (void *socket, const char *endpoint, long expected)
{
    char bound[256];
    size_t bound_size = sizeof bound;
    int patience_ms = PATIENCE_MS;
    if (zlink_setsockopt (socket, ZLINK_RCVTIMEO, &patience_ms, sizeof patience_ms) != 0)
        return fail ("RCVTIMEO");
    if (zlink_bind (socket, endpoint) != 0)
        return fail (endpoint);
    if (zlink_getsockopt (socket, ZLINK_LAST_ENDPOINT, bound, &bound_size) != 0)
        return fail ("LAST_ENDPOINT");
    printf ("bound %s\n", bound);
    fflush (stdout);
    if (collect (socket, expected) != 0)
        return 1;
    for (unsigned at = 0; at < WORDS_MAX; ++at)
        if (words[at].count > 0)
            printf ("word %s %ld\n", words[at].text, words[at].count);
    return 0;
}

int main (int count, char **arguments)
{
    if (count != 3) {
        fprintf (stderr, "usage: sink ENDPOINT EXPECTED\n");
        return 2;
    }
    void *context = zlink_ctx_new ();
    void *socket = zlink_socket (context, ZLINK_PULL);
    int status = socket == NULL ? fail ("socket") : run (socket, arguments[1], atol (arguments[2]));
    if (socket != NULL)
        zlink_close (socket);
    zlink_ctx_term (context);
    return status;
}
