"""What a type checker must refuse: one error in each line that says so, and no other."""

from fastchacha import ChaCha20, ChaCha20Poly1305, Poly1305, backend, hchacha20

ChaCha20("key", bytes(12))  # error: arg-type
ChaCha20(bytes(32), bytes(12), 0)  # error: misc
ChaCha20(bytes(32))  # error: call-arg
ChaCha20(bytes(32), bytes(12)).encrypt("text")  # error: arg-type
ChaCha20(bytes(32), bytes(12)).keystream("3")  # error: arg-type
ChaCha20Poly1305(bytes(32)).encrypt(bytes(12), None)  # error: arg-type
ChaCha20Poly1305(bytes(32)).encrypt(bytes(12), b"", aad=b"")  # error: call-arg
ChaCha20Poly1305(bytes(32)).encrypt_into(bytes(12), b"", None)  # error: call-arg
ChaCha20Poly1305(bytes(32)).encryptor(bytes(12)).finalize(b"")  # error: call-arg
ChaCha20Poly1305(bytes(32)).decryptor(bytes(12)).finalize()  # error: call-arg
Poly1305(bytes(32)).verify("tag")  # error: arg-type
hchacha20(bytes(32), bytes(16), 20)  # error: misc
backend("avx2")  # error: call-arg
