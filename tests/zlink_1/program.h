/* Programs as they were written for zlink 1.x, by its documentation: parts of
 * one, compiled as C11 and as C++20. */
#ifndef ZLINK_1_PROGRAM_H
#define ZLINK_1_PROGRAM_H

#include <zlink.h>

/* Ends the program with the word unless it holds. */
void expect (int holds, const char *what);

void talk_over_sockets (void *context);
void watch_and_list_peers (void *context);
void set_every_option (void *context);
void set_context_options (void);
void use_utilities (void);
void forward (void *context);
void look_for_services (void *context);
void ask_services (void *context);
void share_topics (void *context);

#endif
