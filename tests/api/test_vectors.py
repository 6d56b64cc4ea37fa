"""Known answers: the RFC, the XChaCha draft, Wycheproof, OpenSSL, cryptography-vectors."""

import json
import struct

import model
import pytest
from support import VECTORS, records

import fastchacha
from fastchacha import (
    ChaCha20,
    ChaCha20Poly1305,
    InvalidTag,
    Poly1305,
    XChaCha20,
    XChaCha20Poly1305,
    hchacha20,
)

H = bytes.fromhex
EXPECTED = {  # how many vectors each file holds: a reader that finds none proves nothing
    "rfc8439/chacha20.txt": 10,
    "rfc8439/poly1305.txt": 12,
    "rfc8439/poly1305_key.txt": 5,
    "rfc8439/aead.txt": 2,
    "xchacha/hchacha20.txt": 1,
    "xchacha/xchacha20.txt": 2,
    "xchacha/aead.txt": 1,
    "chacha/rounds.txt": 24,
    "openssl/evpciph_chacha.txt": 27,
    "openssl/evpmac_poly1305.txt": 46,
}


def vectors(name):
    keys = ("Key", "KEY")
    found = [block for block in records(VECTORS / name) if any(k in block for k in keys)]
    assert len(found) == EXPECTED[name]
    return [
        pytest.param(block, id=block.get("Section", str(i)).replace(" ", ""))
        for i, block in enumerate(found)
    ]


def check_stream(make, plaintext, ciphertext):
    assert make().encrypt(plaintext) == ciphertext
    assert make().decrypt(ciphertext) == plaintext
    out = bytearray(len(plaintext))
    assert make().encrypt_into(plaintext, out) == len(plaintext)
    assert out == ciphertext
    assert make().decrypt_into(out, out) == len(plaintext)
    assert out == plaintext


def check_aead(aead, nonce, plaintext, aad, ciphertext, tag):
    """Every way to say the same."""
    whole = ciphertext + tag
    n = len(plaintext)
    assert aead.encrypt(nonce, plaintext, aad) == whole
    assert aead.decrypt(nonce, whole, aad) == plaintext
    assert aead.encrypt_detached(nonce, plaintext, aad) == (ciphertext, tag)
    assert aead.decrypt_detached(nonce, ciphertext, tag, aad) == plaintext
    buf = bytearray(n + 16)
    assert aead.encrypt_into(nonce, plaintext, aad, buf) == n + 16
    assert buf == whole
    out = bytearray(n)
    assert aead.decrypt_into(nonce, buf, aad, out) == n
    assert out == plaintext
    for size in (1, 7, 64, n + 1):
        encryptor, decryptor = aead.encryptor(nonce, aad), aead.decryptor(nonce, aad)
        pieces = range(0, n, size)
        assert b"".join(encryptor.update(plaintext[i : i + size]) for i in pieces) == ciphertext
        assert encryptor.finalize() == tag
        assert b"".join(decryptor.update(ciphertext[i : i + size]) for i in pieces) == plaintext
        assert decryptor.finalize(tag) is None


def check_mac(key, message, tag):
    assert Poly1305.generate_tag(key, message) == tag
    assert Poly1305.verify_tag(key, message, tag) is None
    for size in (1, 15, 16, 17, 100):
        mac, checked = Poly1305(key), Poly1305(key)
        for i in range(0, len(message), size):
            mac.update(message[i : i + size])
            checked.update(message[i : i + size])
        assert mac.finalize() == tag
        assert checked.verify(tag) is None
    wrong = bytes([tag[0] ^ 1]) + tag[1:]
    with pytest.raises(InvalidTag):
        Poly1305.verify_tag(key, message, wrong)


@pytest.mark.parametrize("v", vectors("rfc8439/chacha20.txt"))
def test_rfc8439_chacha20(v):
    key, nonce, counter = H(v["Key"]), H(v["Nonce"]), int(v["Counter"])
    check_stream(
        lambda: ChaCha20(key, nonce, counter=counter), H(v["Plaintext"]), H(v["Ciphertext"])
    )


@pytest.mark.parametrize("v", vectors("rfc8439/poly1305.txt"))
def test_rfc8439_poly1305(v):
    check_mac(H(v["Key"]), H(v["Input"]), H(v["Tag"]))


@pytest.mark.parametrize("v", vectors("rfc8439/poly1305_key.txt"))
def test_rfc8439_poly1305_key_generation(v):
    assert ChaCha20(H(v["Key"]), H(v["Nonce"])).keystream(32) == H(v["OneTimeKey"])


@pytest.mark.parametrize("v", vectors("rfc8439/aead.txt"))
def test_rfc8439_aead(v):
    aead = ChaCha20Poly1305(H(v["Key"]))
    check_aead(aead, *(H(v[k]) for k in ("Nonce", "Plaintext", "AAD", "Ciphertext", "Tag")))


@pytest.mark.parametrize("v", vectors("xchacha/hchacha20.txt"))
def test_xchacha_hchacha20(v):
    assert hchacha20(H(v["Key"]), H(v["Nonce"])) == H(v["Subkey"])


@pytest.mark.parametrize("v", vectors("xchacha/xchacha20.txt"))
def test_xchacha_xchacha20(v):
    key, nonce, counter = H(v["Key"]), H(v["Nonce"]), int(v["Counter"])
    check_stream(
        lambda: XChaCha20(key, nonce, counter=counter), H(v["Plaintext"]), H(v["Ciphertext"])
    )


@pytest.mark.parametrize("v", vectors("xchacha/aead.txt"))
def test_xchacha_aead(v):
    aead = XChaCha20Poly1305(H(v["Key"]))
    check_aead(aead, *(H(v[k]) for k in ("Nonce", "Plaintext", "AAD", "Ciphertext", "Tag")))


@pytest.mark.parametrize("v", vectors("chacha/rounds.txt"))
def test_chacha_rounds(v):
    stream = ChaCha20(H(v["Key"]), H(v["Nonce"]), rounds=int(v["Rounds"]))
    assert stream.keystream(128) == H(v["Keystream"])


# ---- OpenSSL ------------------------------------------------------------------------------------
@pytest.mark.parametrize("v", vectors("openssl/evpciph_chacha.txt"))
def test_openssl_cipher(v):
    key, nonce = H(v["Key"]), H(v["IV"])
    plaintext, ciphertext = H(v["Plaintext"]), H(v.get("Ciphertext", ""))
    if v["Cipher"] == "chacha20":
        # 16 bytes: a 32-bit counter and 12 bytes of nonce, or a 64-bit counter and 8.
        counter, rest = struct.unpack("<I12s", nonce)
        check_stream(lambda: ChaCha20(key, rest, counter=counter), plaintext, ciphertext)
        counter, rest = struct.unpack("<Q8s", nonce)
        check_stream(lambda: ChaCha20(key, rest, counter=counter), plaintext, ciphertext)
        return
    aead, aad, tag = ChaCha20Poly1305(key), H(v["AAD"]), H(v["Tag"])
    result = v.get("Result")
    if result == "INVALID_IV_LENGTH":
        with pytest.raises(ValueError, match=f"12.*{len(nonce)}") as caught:
            aead.encrypt(nonce, plaintext, aad)
        assert not isinstance(caught.value, InvalidTag)
    elif result == "CIPHERFINAL_ERROR":
        with pytest.raises(InvalidTag):
            aead.decrypt(nonce, ciphertext + tag, aad)
    else:
        assert result is None
        check_aead(aead, nonce, plaintext, aad, ciphertext, tag)


@pytest.mark.parametrize("v", vectors("openssl/evpmac_poly1305.txt"))
def test_openssl_mac(v):
    assert v["MAC"] in ("Poly1305", "Poly1305 by EVP_PKEY")
    check_mac(H(v["Key"]), H(v["Input"]), H(v["Output"]))


# ---- Wycheproof ---------------------------------------------------------------------------------
def wycheproof(name, expected):
    groups = json.loads((VECTORS / "wycheproof" / name).read_text())["testGroups"]
    tests = [(group, test) for group in groups for test in group["tests"]]
    assert len(tests) == expected
    return [pytest.param(group, test, id=f"tc{test['tcId']}") for group, test in tests]


def check_wycheproof(cls, nonce_size, group, test):
    key, nonce, aad = H(test["key"]), H(test["iv"]), H(test["aad"])
    plaintext, ciphertext, tag = H(test["msg"]), H(test["ct"]), H(test["tag"])
    assert group["keySize"] == 256 and group["tagSize"] == 128
    aead = cls(key)
    if group["ivSize"] != 8 * nonce_size:
        assert test["result"] == "invalid"
        for call in (
            lambda: aead.encrypt(nonce, plaintext, aad),
            lambda: aead.decrypt(nonce, ciphertext + tag, aad),
            lambda: aead.encryptor(nonce, aad),
            lambda: aead.decryptor(nonce, aad),
        ):
            with pytest.raises(ValueError, match=str(len(nonce))) as caught:
                call()
            assert not isinstance(caught.value, InvalidTag)
    elif test["result"] == "valid":
        check_aead(aead, nonce, plaintext, aad, ciphertext, tag)
    else:
        assert test["result"] == "invalid"
        with pytest.raises(InvalidTag):
            aead.decrypt(nonce, ciphertext + tag, aad)
        with pytest.raises(InvalidTag):
            aead.decrypt_detached(nonce, ciphertext, tag, aad)
        out = bytearray(b"\xaa" * len(ciphertext))
        with pytest.raises(InvalidTag):
            aead.decrypt_into(nonce, ciphertext + tag, aad, out)
        assert out == bytes(len(out))
        decryptor = aead.decryptor(nonce, aad)
        decryptor.update(ciphertext)
        with pytest.raises(InvalidTag):
            decryptor.finalize(tag)


@pytest.mark.parametrize("group, test", wycheproof("chacha20_poly1305_test.json", 325))
def test_wycheproof_chacha20_poly1305(group, test):
    check_wycheproof(ChaCha20Poly1305, 12, group, test)


@pytest.mark.parametrize("group, test", wycheproof("xchacha20_poly1305_test.json", 315))
def test_wycheproof_xchacha20_poly1305(group, test):
    check_wycheproof(XChaCha20Poly1305, 24, group, test)


# ---- the PyPI package cryptography-vectors -------------------------------------------------------
def cryptography_vectors(name):
    import cryptography_vectors as package

    return [
        {k.upper(): v for k, v in block.items()}
        for block in records(VECTORS.joinpath(*package.__path__) / name)
    ]


def text_or_hex(value):
    return value[1:-1].encode() if value.startswith('"') else H(value)


@pytest.mark.needs("cryptography_vectors")
def test_cryptography_vectors_chacha20():
    found = [v for v in cryptography_vectors("ciphers/ChaCha20/rfc7539.txt") if "KEY" in v]
    assert len(found) >= 3
    for v in found:
        key, nonce, counter = H(v["KEY"]), H(v["NONCE"]), int(v["INITIAL_BLOCK_COUNTER"])
        plaintext, ciphertext = H(v["PLAINTEXT"]), H(v["CIPHERTEXT"])
        assert ChaCha20(key, nonce, counter=counter).encrypt(plaintext) == ciphertext


@pytest.mark.needs("cryptography_vectors")
def test_cryptography_vectors_poly1305():
    found = [v for v in cryptography_vectors("poly1305/rfc7539.txt") if "KEY" in v]
    assert len(found) >= 11
    for v in found:
        check_mac(H(v["KEY"]), H(v["MSG"]), H(v["TAG"]))


@pytest.mark.needs("cryptography_vectors")
@pytest.mark.parametrize("name, least", [("boringssl", 60), ("openssl", 4)])
def test_cryptography_vectors_aead(name, least):
    found = cryptography_vectors(f"ciphers/ChaCha20Poly1305/{name}.txt")
    found = [v for v in found if "KEY" in v]
    assert len(found) >= least
    for v in found:
        if "IN" in v:  # BoringSSL's names
            nonce, plaintext, aad, ciphertext = (
                text_or_hex(v[k]) for k in ("NONCE", "IN", "AD", "CT")
            )
        else:
            nonce, plaintext, aad, ciphertext = (
                H(v[k]) for k in ("IV", "PLAINTEXT", "AAD", "CIPHERTEXT")
            )
        aead, tag = ChaCha20Poly1305(H(v["KEY"])), H(v["TAG"])
        if v.get("RESULT") == "CIPHERFINAL_ERROR" or len(tag) != 16:
            with pytest.raises(InvalidTag):
                aead.decrypt_detached(nonce, ciphertext, tag, aad)
        else:
            check_aead(aead, nonce, plaintext, aad, ciphertext, tag)


# ---- the model itself ---------------------------------------------------------------------------
def test_model_knows_the_answers():
    for v in records(VECTORS / "rfc8439/poly1305.txt"):
        assert model.poly1305(H(v["Key"]), H(v["Input"])) == H(v["Tag"])
    for v in records(VECTORS / "rfc8439/aead.txt"):
        arguments = (H(v[k]) for k in ("Key", "Nonce", "Plaintext", "AAD"))
        assert model.aead_encrypt(*arguments) == H(v["Ciphertext"] + v["Tag"])
    for v in records(VECTORS / "xchacha/xchacha20.txt"):
        text, offset = H(v["Plaintext"]), 64 * int(v["Counter"])
        stream = model.keystream(H(v["Key"]), H(v["Nonce"]), offset, len(text))
        assert model.xor(text, stream) == H(v["Ciphertext"])
    for n in (0, 1, 15, 16, 17, 1000):
        for key in (bytes(range(32)), b"\1" + bytes(31)):
            assert model.poly1305_zeros(key, n) == model.poly1305(key, bytes(n))


def test_package_is_the_one_under_test():
    assert fastchacha.backend() in [b.name for b in fastchacha.backends() if b.available]
