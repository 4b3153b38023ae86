// CRC-32 of PNG files and zip archives: polynomial 0xEDB88320, reflected.
#ifndef HN_BASE_CRC32_H
#define HN_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

// crc: of the preceding bytes; 0 at first.
uint32_t hn_crc32(uint32_t crc, const void *data, size_t size);

#endif
