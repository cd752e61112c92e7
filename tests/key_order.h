/*
 * key_order.h: the order of keys as the manual of radix_sort.cuh has it, for a reference, and what the headers
 * that stamp out its instances share.
 */
#ifndef KEY_ORDER_H
#define KEY_ORDER_H

#include <stdint.h>
#include <string.h>

enum { OF_UNSIGNED, OF_SIGNED, OF_FLOAT };

#define KIND_OF_KEY(type)                          \
    ((type)0.5 != (type)0 ? OF_FLOAT               \
     : (type)-1 < (type)1 ? OF_SIGNED              \
                          : OF_UNSIGNED)

#define CASE_JOIN2(a, b) a##_##b
#define CASE_JOIN(a, b) CASE_JOIN2(a, b)
#define CASE_TEXT2(a) #a
#define CASE_TEXT(a) CASE_TEXT2(a)
#define CASE_(word) CASE_JOIN(CASE, word)

/* An item of the input: what the order is about, and where it was. */
typedef struct item {
    uint64_t number;
    size_t index;
} item;

/* The bits of key i. */
static inline uint64_t key_bits(const void *keys, size_t i, size_t bytes)
{
    uint64_t bits = 0;

    memcpy(&bits, (const char *)keys + i * bytes, bytes); /* little-endian */
    return bits;
}

/* The key as an unsigned number that orders as keys do. */
static inline uint64_t key_number(uint64_t bits, size_t bytes, int kind, int descending)
{
    const uint64_t all = UINT64_MAX >> (64 - 8 * bytes), sign = all / 2 + 1;

    if (kind == OF_FLOAT && bits == sign)
        bits = 0;
    if (kind == OF_FLOAT && (bits & sign))
        bits = ~bits & all;
    else if (kind != OF_UNSIGNED)
        bits ^= sign;
    return descending ? ~bits & all : bits;
}

/* For qsort, which is to be stable. */
static inline int compare_items(const void *a, const void *b)
{
    const item *x = (const item *)a, *y = (const item *)b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

#endif
