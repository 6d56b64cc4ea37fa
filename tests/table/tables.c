/* Prints both tables as JSON, one object a line: what the tests of this folder hold against the
 * sources, of every architecture at once. */
#include <stdio.h>

#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)

int main(void) {
#define FC_FEATURE(arch, bit, name, probe, trial)                                                  \
    printf("{\"table\": \"features\", \"arch\": \"%s\", \"name\": \"%s\", \"bit\": %d}\n", #arch,   \
           #name, bit);
#include "features.def"
#undef FC_FEATURE
#define FC_BACKEND(name, arch, features, flags, chacha20, chacha20_min, hchacha20, poly1305,       \
                   poly1305_min, aead, aead_min, note)                                             \
    printf("{\"table\": \"backends\", \"name\": \"%s\", \"arch\": \"%s\", \"features\": \"%s\", "  \
           "\"flags\": \"%s\", \"chacha20\": \"%s\", \"hchacha20\": \"%s\", \"poly1305\": "        \
           "\"%s\", \"aead\": \"%s\", \"note\": \"%s\"}\n",                                        \
           #name, #arch, TEXT(features), TEXT(flags), #chacha20, #hchacha20, #poly1305, #aead,     \
           note);
#include "backends.def"
    return 0;
}
