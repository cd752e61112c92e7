/* What planted.h has, as rows beside those that are right. */
#include "compare.h"

extern const bench_instance planted_i32_instance, planted_f32_instance;

#define PLANTED(section, entry)                                                 \
    {                                                                           \
        section, entry, "planted " entry,                                       \
        {                                                                       \
            &planted_i32_instance, &planted_i32_instance, &planted_f32_instance \
        }                                                                       \
    }

const compare_row compare_planted_rows[] = {
    PLANTED("scan", "value"),
    PLANTED("scan", "overrun"),
    PLANTED("scan", "host error"),
    PLANTED("scan", "device error"),
    PLANTED("scan", "idle scan"),
    PLANTED("stream compaction", "idle compact"),
    PLANTED("stream compaction", "count"),
    PLANTED("stream compaction", "huge count"),
    {NULL, NULL, NULL, {NULL, NULL, NULL}},
};
