/* For programs with Debian's static glibc on QEMU's 970: that memset clears whole cache lines of 128
 * bytes with dcbz, and on this model QEMU clears another size, so that it wipes what is not its own.
 */
#include <stddef.h>

void *memset(void *p, int value, size_t n) {
    volatile unsigned char *byte = p;
    while (n--) *byte++ = (unsigned char)value;
    return p;
}
