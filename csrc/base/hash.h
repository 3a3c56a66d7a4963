// 64-bit hash of bytes: FNV-1a (Fowler, Noll and Vo 1991) over 8-byte little-endian words, then the
// tail bytes. After each word the high half is folded into the low one: a product alone never
// carries downwards, so that two flipped signs of float64 would cancel. Results chain:
// ph_hash(ph_hash(start, a), b).
#ifndef PH_BASE_HASH_H
#define PH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PH_HASH_START 14695981039346656037u
uint64_t ph_hash(uint64_t hash, const void *data, size_t bytes);

// Of long data, four times as fast: four such hashes of every fourth word each, which do not wait
// for each other, and the hash of the four and of what is left of the data.
uint64_t ph_checksum(const void *data, size_t bytes);

#endif
