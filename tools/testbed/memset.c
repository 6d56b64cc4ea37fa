/* memset for programs that run on QEMU's 970 with glibc.
 *
 * glibc's own for that CPU clears 128 bytes with one dcbz, as the 970 does under Linux. QEMU's user
 * mode starts it with dcbz in its 32-byte form (HID5, for old programs of another system), so that
 * three quarters of the memory keep what they held.
 */
#include <stddef.h>

void *memset(void *to, int value, size_t size) {
    volatile unsigned char *byte = to; /* volatile: not turned into a call of memset */

    while (size--) *byte++ = (unsigned char)value;
    return to;
}
