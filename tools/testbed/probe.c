/* Says what the targets table says of a target, so that the two can be compared. */
#include <stdio.h>

int main(void) {
    union {
        unsigned value;
        unsigned char bytes[sizeof(unsigned)];
    } one = {1};

    printf("%d bits, %s endian\n", (int)sizeof(void *) * 8, one.bytes[0] ? "little" : "big");
    return 0;
}
