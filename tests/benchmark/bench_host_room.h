/* bench_host_room.h: memory that implementations on the CPU need for a call and keep, as those on the GPU
 * keep their workspace. */
#ifndef BENCH_HOST_ROOM_H
#define BENCH_HOST_ROOM_H

#include <stdlib.h>
#include <string.h>

/* Of so many bytes at least, written to before so that the system has no pages to find; NULL if there are
 * not so many. Each file that asks has one. */
static inline void *bench_host_room(size_t bytes)
{
    static void *room;
    static size_t has;

    if (bytes > has) {
        free(room);
        room = malloc(bytes);
        has = room ? bytes : 0;
        if (room)
            memset(room, 0, bytes);
    }
    return room;
}

#endif
