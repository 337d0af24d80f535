#!/usr/bin/env python3
"""Answers since when a file existed, and on whose word, with nothing but docs/spec and Python's own library.

A second reading of docs/spec/vouchers.md, sections 9 to 12. It shares no code with the product. With --each it reads one
JSON object a line, with base64 in original, archive, tlogProof, stamp, ots, evidence, policy, roots and headers, and a text
in require, and answers each with a line: outcome, existedNoLaterThan, and the codes of links and vouchers.
"""
import base64
import datetime
import hashlib
import json
import os
import re
import sys
import tempfile

import check_proof
import check_vouchers as log
from check_vouchers import Malformed, sha

# --- DER


class Der:
    def __init__(self, tag, body, whole):
        self.tag, self.body, self.whole = tag, body, whole

    def parts(self):
        found, rest = [], self.body
        while rest:
            part, rest = read_der(rest)
            found.append(part)
        return found


class Stamp(Exception):
    """A time stamp that does not count, and why."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


def want(condition, code='STAMP_MALFORMED'):
    if not condition:
        raise Stamp(code)


def read_der(data):
    """The first element, and what is behind it. Definite lengths, in their shortest form."""
    want(len(data) >= 2, 'STAMP_TRUNCATED')
    want(data[0] & 0x1f != 0x1f)
    length, at = data[1], 2
    if length >= 0x80:
        count = length & 0x7f
        want(1 <= count <= 4)
        want(len(data) >= 2 + count, 'STAMP_TRUNCATED')
        length, at = int.from_bytes(data[2:2 + count], 'big'), 2 + count
        want(length >= 0x80 and data[2] != 0)
    want(len(data) >= at + length, 'STAMP_TRUNCATED')
    return Der(data[0], data[at:at + length], data[:at + length]), data[at + length:]


def expect(part, tag):
    want(part is not None and part.tag == tag)
    return part


def oid(part):
    expect(part, 6)
    numbers, value = [], 0
    for byte in part.body:
        value = value << 7 | byte & 0x7f
        if byte < 0x80:
            numbers.append(value)
            value = 0
    first = min(numbers[0] // 40, 2)
    return '.'.join(map(str, [first, numbers[0] - 40 * first] + numbers[1:]))


def number(part):
    return int.from_bytes(expect(part, 2).body, 'big', signed=True)


HASHES = {'1.3.14.3.2.26': 'sha1', '2.16.840.1.101.3.4.2.1': 'sha256', '2.16.840.1.101.3.4.2.2': 'sha384',
          '2.16.840.1.101.3.4.2.3': 'sha512'}
RSA, PSS, EC = '1.2.840.113549.1.1.1', '1.2.840.113549.1.1.10', '1.2.840.10045.2.1'
RSA_WITH = {'1.2.840.113549.1.1.11': 'sha256', '1.2.840.113549.1.1.12': 'sha384', '1.2.840.113549.1.1.13': 'sha512'}
EC_WITH = {'1.2.840.10045.4.3.2': 'sha256', '1.2.840.10045.4.3.3': 'sha384', '1.2.840.10045.4.3.4': 'sha512'}
NAMES = {'sha1': b'\x06\x05\x2b\x0e\x03\x02\x1a', 'sha256': b'\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01',
         'sha384': b'\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x02', 'sha512': b'\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x03'}


def hash_with(name, data):
    return hashlib.new(name, data).digest()


def to_time(part):
    text = part.body.decode('ascii', 'replace')
    if part.tag == 0x17:
        want(re.fullmatch(r'\d{12}Z', text, re.ASCII))
        text = ('20' if int(text[:2]) < 50 else '19') + text
    else:
        expect(part, 0x18)
    whole = re.fullmatch(r'(\d{14})(?:\.(\d+))?Z', text, re.ASCII)
    want(whole)
    try:
        moment = datetime.datetime.strptime(whole[1], '%Y%m%d%H%M%S').replace(tzinfo=datetime.timezone.utc)
    except ValueError:
        raise Stamp('STAMP_MALFORMED') from None
    digits = whole[2] or ''
    return int(moment.timestamp()) * 10 ** 6 + int((digits + '000000')[:6])


# --- signatures: RFC 8017, SEC 1

CURVES = {
    '1.2.840.10045.3.1.7': (2 ** 256 - 2 ** 224 + 2 ** 192 + 2 ** 96 - 1,
                            0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b,
                            0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551,
                            0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
                            0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5),
    '1.3.132.0.34': (2 ** 384 - 2 ** 128 - 2 ** 96 + 2 ** 32 - 1,
                     0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef,
                     0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973,
                     0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7,
                     0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f)}


def add_points(one, two, p):
    if one is None or two is None:
        return one or two
    if one[0] == two[0]:
        if (one[1] + two[1]) % p == 0:
            return None
        slope = (3 * one[0] * one[0] - 3) * pow(2 * one[1], -1, p) % p
    else:
        slope = (two[1] - one[1]) * pow(two[0] - one[0], -1, p) % p
    x = (slope * slope - one[0] - two[0]) % p
    return x, (slope * (one[0] - x) - one[1]) % p


def times(scalar, point, p):
    result = None
    while scalar:
        if scalar & 1:
            result = add_points(result, point, p)
        point, scalar = add_points(point, point, p), scalar >> 1
    return result


def verify_ecdsa(curve, key, digest, signature):
    p, b, n, gx, gy = CURVES[curve]
    size = (p.bit_length() + 7) // 8
    want(len(key) == 1 + 2 * size and key[0] == 4, 'STAMP_ALGORITHM')
    x, y = int.from_bytes(key[1:1 + size], 'big'), int.from_bytes(key[1 + size:], 'big')
    if max(x, y) >= p or (y * y - x * x * x + 3 * x - b) % p:
        return False
    try:
        whole, rest = read_der(signature)
        r, s = (number(part) for part in whole.parts())
    except (Stamp, ValueError):
        return False
    if rest or not (0 < r < n and 0 < s < n):
        return False
    e = int.from_bytes(digest, 'big') >> max(0, 8 * len(digest) - n.bit_length())
    inverse = pow(s, -1, n)
    point = add_points(times(e * inverse % n, (gx, gy), p), times(r * inverse % n, (x, y), p), p)
    return point is not None and point[0] % n == r


def verify_rsa(key, name, data, signature, salt):
    """`salt`: None for PKCS#1 v1.5, its length for PSS."""
    n, e = (number(part) for part in read_der(key)[0].parts())
    want(n.bit_length() >= 2048, 'STAMP_ALGORITHM')
    size = (n.bit_length() + 7) // 8
    value = int.from_bytes(signature, 'big')
    if len(signature) != size or value >= n:
        return False
    digest = hash_with(name, data)
    if salt is None:
        info = NAMES[name] + b'\x05\0'
        algorithm = b'\x30' + bytes([len(info)]) + info + b'\x04' + bytes([len(digest)]) + digest
        block = b'\x30' + bytes([len(algorithm)]) + algorithm
        return pow(value, e, n).to_bytes(size, 'big') == b'\0\1' + b'\xff' * (size - 3 - len(block)) + b'\0' + block
    bits = n.bit_length() - 1
    encoded = pow(value, e, n).to_bytes(size, 'big')[size - (bits + 7) // 8:]
    masked, tail = encoded[:-len(digest) - 1], encoded[-len(digest) - 1:-1]
    mask = b''.join(hash_with(name, tail + at.to_bytes(4, 'big')) for at in range(len(masked) // len(digest) + 1))
    block = bytearray(a ^ b for a, b in zip(masked, mask))
    if encoded[-1] != 0xbc or masked[0] >> (8 - (8 * len(encoded) - bits)):
        return False
    block[0] &= 0xff >> (8 * len(encoded) - bits)
    start = len(block) - salt
    return (start >= 1 and block[:start] == bytes(start - 1) + b'\1'
            and hash_with(name, bytes(8) + digest + bytes(block[start:])) == tail)


def is_signed(certificate, algorithm, data, signature, digest_name=None):
    kind, parameters = oid(algorithm.parts()[0]), algorithm.parts()[1:]
    if certificate.key_kind == EC:
        want(kind in EC_WITH and certificate.curve in CURVES, 'STAMP_ALGORITHM')
        return verify_ecdsa(certificate.curve, certificate.key, hash_with(EC_WITH[kind], data), signature)
    want(certificate.key_kind == RSA, 'STAMP_ALGORITHM')
    if kind == PSS:
        given = {part.tag: part.parts()[0] for part in parameters[0].parts()} if parameters else {}
        name = HASHES.get(oid(given[0xa0].parts()[0])) if 0xa0 in given else 'sha1'
        want(name in ('sha256', 'sha384', 'sha512'), 'STAMP_ALGORITHM')
        return verify_rsa(certificate.key, name, data, signature, number(given[0xa2]) if 0xa2 in given else 20)
    name = RSA_WITH.get(kind, digest_name if kind == RSA else None)
    want(name is not None, 'STAMP_ALGORITHM')
    return verify_rsa(certificate.key, name, data, signature, None)


# --- certificates: RFC 5280

class Certificate:
    def __init__(self, whole):
        self.whole = whole
        tbs, self.algorithm, signature = read_der(whole)[0].parts()
        self.signed, self.signature = tbs.whole, expect(signature, 3).body[1:]
        fields = tbs.parts()
        if fields[0].tag == 0xa0:
            fields.pop(0)
        serial, _, issuer, validity, subject, public = fields[:6]
        self.serial, self.issuer, self.subject = number(serial), issuer.whole, subject.whole
        self.begin, self.end = (to_time(part) for part in validity.parts())
        algorithm, key = public.parts()
        self.key_kind, self.key = oid(algorithm.parts()[0]), key.body[1:]
        self.curve = oid(algorithm.parts()[1]) if self.key_kind == EC else None
        self.extensions = {}
        for field in fields[6:]:
            if field.tag == 0xa3:
                for extension in field.parts()[0].parts():
                    members = extension.parts()
                    is_critical = members[1].tag == 1 and members[1].body == b'\xff'
                    self.extensions[oid(members[0])] = (is_critical, members[-1].body)

    def purposes(self):
        is_critical, value = self.extensions.get('2.5.29.37', (False, None))
        return is_critical, [] if value is None else [oid(part) for part in read_der(value)[0].parts()]

    def may_issue(self, below):
        """Whether it may stand above `below` intermediate certificates."""
        _, value = self.extensions.get('2.5.29.19', (False, None))
        members = [] if value is None else read_der(value)[0].parts()
        is_authority = bool(members) and members[0].tag == 1 and members[0].body == b'\xff'
        is_long = len(members) > 1 and number(members[1]) < below
        _, usage = self.extensions.get('2.5.29.15', (False, None))
        signs = usage is None or read_der(usage)[0].body[1] & 0x04
        return is_authority and not is_long and bool(signs)

    def is_known(self):
        known = ('2.5.29.19', '2.5.29.15', '2.5.29.37', '2.5.29.32')
        return all(name in known for name, (is_critical, _) in self.extensions.items() if is_critical)


def read_roots(pem):
    try:
        text = pem.decode('utf-8', 'strict')
        blocks = re.findall(r'-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----', text)
        roots = [Certificate(base64.b64decode(''.join(block.split()), validate=True)) for block in blocks]
    except (ValueError, IndexError, Stamp):
        return None
    return roots or None


def find_chain(leaf, others, roots, moment):
    """OK, or the code of what is missing."""
    expired = False

    def climb(certificate, path):
        nonlocal expired
        if any(certificate.whole == root.whole for root in roots):
            if all(one.begin <= moment <= one.end for one in path):
                return True
            expired = True
            return False
        for issuer in roots + others:
            if (len(path) < 8 and issuer.subject == certificate.issuer and issuer.is_known()
                    and all(issuer.whole != one.whole for one in path) and issuer.may_issue(len(path) - 1)
                    and is_signed(issuer, certificate.algorithm, certificate.signed, certificate.signature)
                    and climb(issuer, path + [issuer])):
                return True
        return False

    if leaf.is_known() and climb(leaf, [leaf]):
        return 'OK'
    return 'STAMP_EXPIRED' if expired else 'STAMP_UNTRUSTED'


# --- section 9

def check_stamp(data, digest, roots):
    """Milliseconds since 1970, until which the checkpoint existed at the latest. Raises Stamp."""
    want(len(data) <= 262144, 'STAMP_TOO_LARGE')
    response, rest = read_der(data)
    want(not rest, 'STAMP_TRAILING_BYTES')
    status, *token = expect(response, 0x30).parts()
    want(number(expect(status, 0x30).parts()[0]) in (0, 1), 'STAMP_REFUSED')
    want(len(token) == 1)
    kind, content = expect(token[0], 0x30).parts()
    want(oid(kind) == '1.2.840.113549.1.7.2')
    signed = expect(expect(content, 0xa0).parts()[0], 0x30).parts()
    _, digests, wrapped, *optional, signers = signed
    content_kind, inner = expect(wrapped, 0x30).parts()
    want(oid(content_kind) == '1.2.840.113549.1.9.16.1.4')
    info = expect(expect(inner, 0xa0).parts()[0], 4).body
    moment, accuracy = read_info(info, digest)
    want(len(signers.parts()) == 1)
    certificates = [Certificate(part.whole) for field in optional if field.tag == 0xa0 for part in field.parts()]
    signer = check_signer(signers.parts()[0], digests, info, certificates, roots)
    code = find_chain(signer, certificates, roots, moment)
    want(code == 'OK', code)
    return -(-(moment + accuracy) // 1000)


def read_info(info, digest):
    whole, rest = read_der(info)
    version, _, imprint, _, moment, *more = whole.parts()
    want(not rest and number(version) == 1)
    algorithm, hashed = expect(imprint, 0x30).parts()
    want(HASHES.get(oid(algorithm.parts()[0])) == 'sha256', 'STAMP_ALGORITHM')
    want(hashed.body == digest, 'STAMP_IMPRINT')
    accuracy = 0
    if more and more[0].tag == 0x30:
        units = {2: 10 ** 6, 0x80: 1000, 0x81: 1}
        for part in more[0].parts():
            want(part.tag in units)
            accuracy += int.from_bytes(part.body, 'big') * units[part.tag]
    return to_time(expect(moment, 0x18)), accuracy


def check_signer(signer, digests, info, certificates, roots):
    _, identity, algorithm, attributes, scheme, signature, *_ = signer.parts()
    name = HASHES.get(oid(algorithm.parts()[0]))
    want(name in ('sha256', 'sha384', 'sha512'), 'STAMP_ALGORITHM')
    want(any(part.parts()[0].whole == algorithm.parts()[0].whole for part in digests.parts()))
    certificate = next((one for one in certificates + roots if is_of(one, identity)), None)
    want(certificate is not None, 'STAMP_CERTIFICATE')
    values = {}
    for attribute in expect(attributes, 0xa0).parts():
        kind, content = attribute.parts()
        want(oid(kind) not in values)
        values[oid(kind)] = content.parts()
    names = [values.get('1.2.840.113549.1.9.16.2.12'), values.get('1.2.840.113549.1.9.16.2.47')]
    want(any(names), 'STAMP_CERTIFICATE')
    for at, found in enumerate(names):
        want(found is None or is_named(found[0], certificate, 'sha1' if at == 0 else 'sha256'), 'STAMP_CERTIFICATE')
    want(certificate.purposes() == (True, ['1.3.6.1.5.5.7.3.8']), 'STAMP_CERTIFICATE')
    want(values.get('1.2.840.113549.1.9.3') and values.get('1.2.840.113549.1.9.4'))
    want(oid(values['1.2.840.113549.1.9.3'][0]) == '1.2.840.113549.1.9.16.1.4')
    want(values['1.2.840.113549.1.9.4'][0].body == hash_with(name, info), 'STAMP_SIGNATURE')
    data = b'\x31' + attributes.whole[1:]
    want(is_signed(certificate, scheme, data, expect(signature, 4).body, name), 'STAMP_SIGNATURE')
    return certificate


def is_of(certificate, identity):
    if identity.tag == 0x30:
        issuer, serial = identity.parts()
        return certificate.issuer == issuer.whole and certificate.serial == number(serial)
    _, value = certificate.extensions.get('2.5.29.14', (False, None))
    return value is not None and read_der(value)[0].body == identity.body


def is_named(found, certificate, name):
    first = found.parts()[0].parts()[0].parts()
    if first[0].tag == 0x30:
        name, first = HASHES.get(oid(first[0].parts()[0])), first[1:]
    return name is not None and expect(first[0], 4).body == hash_with(name, certificate.whole)


# --- section 10

MAGIC = bytes.fromhex('004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e89294')
STEPS = {2: lambda m: hashlib.sha1(m).digest(), 3: lambda m: hashlib.new('ripemd160', m).digest(), 8: sha,
         0xf2: lambda m: m[::-1], 0xf3: lambda m: m.hex().encode()}


class Ots:
    """What is known of the message of a file: its digest, and claims of (message, kind, what is named)."""

    def __init__(self, data):
        log.need(len(data) <= 262144 and data[:31] == MAGIC)
        self.data, self.at, self.operations, self.claims = data, 31, 0, []
        log.need(self.number() == 1)
        self.hash = self.byte()
        log.need(self.hash in (2, 3, 8))
        self.digest = self.take(32 if self.hash == 8 else 20)
        self.read(self.digest, 0)
        log.need(self.at == len(data))

    def take(self, count):
        log.need(self.at + count <= len(self.data))
        self.at += count
        return self.data[self.at - count:self.at]

    def byte(self):
        return self.take(1)[0]

    def number(self):
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7f) << shift
            log.need(value <= log.SAFE)
            if byte < 0x80:
                return value
            shift += 7

    def read(self, message, depth):
        log.need(depth <= 255)
        while True:
            tag = self.byte()
            is_last = tag != 0xff
            self.item(self.byte() if tag == 0xff else tag, message, depth)
            if is_last:
                return

    def item(self, tag, message, depth):
        if tag == 0:
            return self.claims.append((message, *self.attestation()))
        self.operations += 1
        log.need(self.operations <= 8192)
        if tag in (0xf0, 0xf1):
            length = self.number()
            log.need(1 <= length <= 4096)
            argument = self.take(length)
            result = message + argument if tag == 0xf0 else argument + message
        else:
            log.need(tag in STEPS)
            result = STEPS[tag](message)
        log.need(len(result) <= 4096)
        self.read(result, depth + 1)

    def attestation(self):
        tag = self.take(8).hex()
        length = self.number()
        log.need(length <= 8192)
        end = self.at + length
        log.need(end <= len(self.data))
        if tag == '83dfe30d2ef90c8e':
            size = self.number()
            log.need(size <= 1000)
            name = self.take(size)
            log.need(re.fullmatch(rb'[A-Za-z0-9._/:-]*', name) and self.at == end)
            return 'CALENDAR', name
        if tag == '0588960d73d71901':
            height = self.number()
            log.need(self.at == end)
            return 'BITCOIN', height
        self.at = end
        return 'OTHER', tag


def read_headers(data):
    """A function from height to header."""
    lines = data.decode('latin1').split('\n')
    if lines[-1] == '' and len(lines) > 1 and all(re.fullmatch('(0|[1-9][0-9]*) [0-9a-f]{160}', one) for one in lines[:-1]):
        known = {int(one.split(' ')[0]): bytes.fromhex(one.split(' ')[1]) for one in lines[:-1]}
        return known.get
    if not data or len(data) % 80:
        return None
    return lambda height: data[80 * height:80 * height + 80] or None


# --- section 11

def read_evidence(data):
    """By entry name; None when it has not the form."""
    log.need(len(data) <= 17825792)
    entries, at, names, order = {}, 0, [], ['proof-archive.zip', 'proof.tlog-proof', 'proof.tsr', 'proof.ots']
    while data[at:at + 4] == b'PK\3\4':
        size, length = int.from_bytes(data[at + 18:at + 22], 'little'), int.from_bytes(data[at + 26:at + 28], 'little')
        name = data[at + 30:at + 30 + length].decode('latin1')
        log.need(name in order and (not names or order.index(name) > order.index(names[-1])))
        start = at + 30 + length
        log.need(start + size <= len(data))
        entries[name] = data[start:start + size]
        names.append(name)
        at = start + size
    log.need('proof-archive.zip' in entries and data == write_zip(entries))
    return entries


def write_zip(entries):
    """The one form that proof-archive.md section 2 allows."""
    import zlib
    local, central = b'', b''
    for name, data in entries.items():
        fields = (b'\x14\0\0\x08\0\0\0\0\x22\0' + zlib.crc32(data).to_bytes(4, 'little')
                  + 2 * len(data).to_bytes(4, 'little') + len(name).to_bytes(2, 'little') + b'\0\0')
        central += (b'PK\1\2\x3f\x03' + fields + bytes(6) + (0x81a40000).to_bytes(4, 'little')
                    + len(local).to_bytes(4, 'little') + name.encode())
        local += b'PK\3\4' + fields + name.encode() + data
    count = len(entries).to_bytes(2, 'little')
    end = (b'PK\5\6\0\0\0\0' + count + count + len(central).to_bytes(4, 'little') + len(local).to_bytes(4, 'little')
           + b'\0\0')
    return local + central + end


# --- section 12

CONTRADICTED = {'ARCHIVE_CONTRADICTED', 'ENTRY_OF_OTHER_PROOF', 'PATH_MISMATCH', 'LOG_SIGNATURE_WRONG',
                'COSIGNATURE_WRONG', 'STAMP_IMPRINT', 'STAMP_SIGNATURE', 'OTS_OF_OTHER_FILE', 'BLOCK_MISMATCH'}
DAMAGED = {'ORIGINAL_TOO_LARGE', 'ORIGINAL_UNREADABLE', 'EVIDENCE_DAMAGED', 'ARCHIVE_DAMAGED', 'TLOG_PROOF_DAMAGED',
           'ENTRY_DAMAGED', 'POLICY_DAMAGED', 'ROOTS_DAMAGED', 'HEADERS_DAMAGED', 'OTS_DAMAGED', 'STAMP_TOO_LARGE',
           'STAMP_TRUNCATED', 'STAMP_TRAILING_BYTES', 'STAMP_MALFORMED'}


class Existence:
    def __init__(self, given):
        self.files = {name: base64.b64decode(value) for name, value in given.items() if name != 'require'}
        self.require = given.get('require', '')
        self.links, self.vouchers = {}, []

    def run(self):
        is_damaged = self.unpack()
        content = sha(self.files['original'])
        self.links['FILE'] = 'OK'
        verification = self.archive(is_damaged)
        proof = self.entry(verification)
        is_linked = all(code == 'OK' for code in self.links.values())
        self.witnesses(proof)
        self.stamp(proof)
        self.ots(content)
        for voucher in self.vouchers:
            if not is_linked and voucher['code'] == 'OK' and voucher['kind'] in ('WITNESS', 'QUORUM', 'RFC3161'):
                voucher['code'] = 'NOT_LINKED'
        return {**self.decide(), 'links': self.links, 'vouchers': self.vouchers}

    def unpack(self):
        data = self.files.pop('evidence', None)
        if data is None:
            return False
        try:
            entries = read_evidence(data)
        except Malformed:
            return True
        for key, name in (('archive', 'proof-archive.zip'), ('tlogProof', 'proof.tlog-proof'), ('stamp', 'proof.tsr'),
                          ('ots', 'proof.ots')):
            if name in entries:
                self.files.setdefault(key, entries[name])
        return False

    def archive(self, is_damaged):
        archive = self.files.get('archive')
        if archive is None:
            self.links['ARCHIVE'] = 'EVIDENCE_DAMAGED' if is_damaged else 'ARCHIVE_ABSENT'
            return None
        with tempfile.NamedTemporaryFile(delete=False) as original:
            original.write(self.files['original'])
        try:
            verification = check_proof.Verification({'original': original.name, 'archive': archive})
            verification.run()
        finally:
            os.unlink(original.name)
        left = ('signature.key', 'signature.jws', 'status.current', 'chain.live-root')
        verdicts = {check_proof.verdict(code) for name, code in verification.codes.items() if name not in left}
        code = ('ARCHIVE_DAMAGED' if 'ERROR' in verdicts else 'ARCHIVE_CONTRADICTED' if 'INVALID' in verdicts else 'OK')
        self.links['ARCHIVE'] = code
        return verification if code == 'OK' else None

    def entry(self, verification):
        data = self.files.get('tlogProof')
        proof, code = None, None
        try:
            if data is None:
                code = 'TLOG_PROOF_ABSENT'
            else:
                proof = log.parse_proof(data)
                code = 'ENTRY_ABSENT' if proof[0] is None else None
        except Malformed:
            code = 'TLOG_PROOF_DAMAGED'
        if code is not None:
            self.links.update(ENTRY=code, PATH='NOT_RUN')
            return proof
        extra, index, path, _, (_, size, root) = proof
        entry = read_entry(extra)
        if entry is None:
            self.links['ENTRY'] = 'ENTRY_DAMAGED'
        elif verification is None:
            self.links['ENTRY'] = 'NOT_RUN'
        else:
            self.links['ENTRY'] = 'OK' if is_about(entry, extra, verification) else 'ENTRY_OF_OTHER_PROOF'
        is_included = log.root_of(log.hash_leaf(extra), index, size, path) == root
        self.links['PATH'] = 'OK' if is_included else 'PATH_MISMATCH'
        return proof

    def add(self, kind, code, time=None, name=None):
        voucher = {'kind': kind, 'code': code}
        if name is not None:
            voucher['name'] = name
        if time is not None:
            voucher['time'] = time
        self.vouchers.append(voucher)

    def witnesses(self, proof):
        data = self.files.get('policy')
        if data is None:
            self.links['LOG'] = 'POLICY_ABSENT'
            return
        try:
            logs, witnesses, members, quorum = log.parse_policy(data)
        except Malformed:
            self.links['LOG'] = 'POLICY_DAMAGED'
            return
        if proof is None:
            self.links['LOG'] = 'NOT_RUN'
            return
        note, origin = proof[3], proof[4][0]
        states = [log.check_key(note, key)[0] for key in logs if key[0] == origin]
        self.links['LOG'] = ('LOG_SIGNATURE_WRONG' if 'WRONG' in states else 'LOG_UNKNOWN' if not states
                             else 'OK' if 'VALID' in states else 'LOG_UNSIGNED')
        verdicts = {key: log.check_key(note, key) for key in witnesses}
        names = {member: name.decode('utf-8', 'replace') for name, member in members.items()
                 if not isinstance(member[0], int)}
        for key, (state, time) in verdicts.items():
            code = {'ABSENT': 'COSIGNATURE_ABSENT', 'WRONG': 'COSIGNATURE_WRONG'}.get(state)
            self.add('WITNESS', code or ('TIME_ABSENT' if time is None else 'OK'),
                     None if time is None else 1000 * time, names[key])
        self.quorum(members, quorum, verdicts)

    def quorum(self, members, quorum, verdicts):
        name, time = quorum.decode('utf-8', 'replace'), None
        if self.links['LOG'] != 'OK':
            code = self.links['LOG']
        elif quorum == b'none':
            code = 'TIME_ABSENT'
        else:
            time = log.time_of(quorum, members, verdicts)
            code = 'QUORUM_NOT_REACHED' if time is None else 'TIME_ABSENT' if time == float('inf') else 'OK'
        self.add('QUORUM', code, 1000 * time if code == 'OK' else None, name)

    def stamp(self, proof):
        given = self.files.get('roots')
        roots = None if given is None else read_roots(given)
        if given is not None and roots is None:
            self.links['ROOTS'] = 'ROOTS_DAMAGED'
        data = self.files.get('stamp')
        if data is None:
            return
        if proof is None:
            self.add('RFC3161', 'NOT_LINKED')
            return
        try:
            self.add('RFC3161', 'OK', check_stamp(data, sha(proof[3][0].encode()), roots or []))
        except Stamp as problem:
            is_without = problem.code == 'STAMP_UNTRUSTED' and given is None
            self.add('RFC3161', 'ROOTS_ABSENT' if is_without else problem.code)
        except (ValueError, IndexError):
            self.add('RFC3161', 'STAMP_MALFORMED')

    def ots(self, content):
        given = self.files.get('headers')
        headers = None if given is None else read_headers(given)
        if given is not None and headers is None:
            self.links['HEADERS'] = 'HEADERS_DAMAGED'
        if 'ots' not in self.files:
            return
        try:
            ots = Ots(self.files['ots'])
        except Malformed:
            self.add('BITCOIN', 'OTS_DAMAGED')
            return
        if ots.hash != 8 or ots.digest != content:
            self.add('BITCOIN', 'OTS_OF_OTHER_FILE')
        elif len(ots.claims) > 64:
            self.add('BITCOIN', 'OTS_DAMAGED')
        else:
            for message, kind, named in ots.claims:
                self.claim(message, kind, named, headers)

    def claim(self, message, kind, named, headers):
        if kind != 'BITCOIN':
            self.add(kind, 'ATTESTATION_PENDING' if kind == 'CALENDAR' else 'ATTESTATION_UNKNOWN')
            return
        header = headers(named) if headers else None
        if headers is None or header is None:
            self.add('BITCOIN', 'HEADERS_ABSENT' if headers is None else 'HEADER_ABSENT')
        elif header[36:68] != message:
            self.add('BITCOIN', 'BLOCK_MISMATCH')
        else:
            self.add('BITCOIN', 'OK', 1000 * (int.from_bytes(header[68:72], 'little') + 7200))

    def decide(self):
        codes = list(self.links.values()) + [voucher['code'] for voucher in self.vouchers]
        for outcome, set_of in (('CONTRADICTED', CONTRADICTED), ('ERROR', DAMAGED)):
            found = next((code for code in codes if code in set_of), None)
            if found is not None:
                return {'outcome': outcome, 'reason': found}
        met = [self.meet(one) for one in self.require.split(',') if one]
        if None in met:
            return {'outcome': 'NOT_SHOWN', 'reason': 'REQUIREMENT_NOT_MET'}
        times_of_all = self.times('QUORUM', 'RFC3161', 'BITCOIN')
        if not met and not times_of_all:
            return {'outcome': 'NOT_SHOWN', 'reason': 'NO_TRUSTED_VOUCHER'}
        return {'outcome': 'EXISTED', 'time': max(met) if met else times_of_all[0]}

    def times(self, *kinds):
        return sorted(one['time'] for one in self.vouchers
                      if one['kind'] in kinds and one['code'] == 'OK' and 'time' in one)

    def meet(self, text):
        word, _, count = text.partition(':')
        own = self.times({'witness': 'WITNESS', 'rfc3161': 'RFC3161', 'bitcoin': 'BITCOIN'}[word])
        at = int(count or 1) - 1
        if len(own) <= at:
            return None
        if word != 'witness':
            return own[at]
        reached = [one for one in self.vouchers if one['kind'] == 'QUORUM' and one['code'] in ('OK', 'TIME_ABSENT')]
        return max([own[at]] + self.times('QUORUM')) if reached else None


def shape_of(kind, **members):
    return check_proof.record({'schema': check_proof.one_of('recordproof.ledger-entry.v1'), 'kind': check_proof.one_of(kind),
                               'recordedAt': check_proof.instant, **members})


COUNT = check_proof.integer
SHAPES = {
    'FILE_RECORD': shape_of('FILE_RECORD', recordId=check_proof.HEX, manifestHash=check_proof.DIGEST),
    'BATCH_ROOT': shape_of('BATCH_ROOT', batchNo=check_proof.NAME, merkleRoot=check_proof.HEX, treeSize=COUNT(1)),
    'PROOF_ISSUED': shape_of('PROOF_ISSUED', proofIdSha256=check_proof.DIGEST, manifestSha256=check_proof.DIGEST),
    'PROOF_STATUS': shape_of('PROOF_STATUS', proofIdSha256=check_proof.DIGEST, status=check_proof.STATUS,
                             statusVersion=COUNT(2)),
    'SIGNING_KEY': shape_of('SIGNING_KEY', keyId=check_proof.NAME, keyVersion=COUNT(1),
                            publicKeyFingerprint=check_proof.DIGEST, state=check_proof.one_of('IN_USE', 'RETIRED')),
    'AUDIT_HEAD': shape_of('AUDIT_HEAD', tenantDigest=check_proof.HEX, sequence=COUNT(1), headHash=check_proof.HEX),
}


def read_entry(data):
    """Canonical JSON with the members of its kind."""
    try:
        entry = check_proof.parse_json(data, 4096, 2)
        is_plain = isinstance(entry, dict) and check_proof.canonical(entry) == data
    except (check_proof.Found, UnicodeDecodeError):
        return None
    kind = entry.get('kind') if is_plain else None
    return entry if isinstance(kind, str) and kind in SHAPES and SHAPES[kind](entry) else None


def is_about(entry, extra, verification):
    manifest, merkle, receipt = verification.manifest, verification.merkle, verification.receipt
    if entry['kind'] == 'PROOF_ISSUED':
        digests = [check_proof.digest(data) for data in (manifest['proofId'].encode(), verification.entries['manifest.json'])]
        return [entry['proofIdSha256'], entry['manifestSha256']] == digests
    leaf = '0x' + log.hash_leaf(extra).hex()
    return (entry['kind'] == 'BATCH_ROOT' and receipt.get('batchTransactionHash', leaf) == leaf
            and (entry['batchNo'], entry['merkleRoot'], entry['treeSize'])
            == (manifest['batchNo'], merkle['merkleRoot'], merkle['treeSize']))


def main():
    for line in sys.stdin:
        print(json.dumps(Existence(json.loads(line)).run()), flush=True)


if __name__ == '__main__':
    main()
