#!/usr/bin/env python3
"""Verifies a proof with nothing but docs/spec and Python's own library: outcome, and a code for every check.

It shares no code with the product: when both agree on every vector and every mutant, the specification says enough.
Usage: check_proof.py ORIGINAL ARCHIVE.zip [TRUSTED_KEY.json]
Exit 0: everything that can be checked offline agrees; else 2, 3 or 4 as the verifier. With --each it reads one JSON
object a line (original, proof or proofBase64, and optionally trustedKey, maxFileBytes, requireTrustedKey and live, the
answers of issuer, chain and ledger) and answers each with a line.
"""
import base64
import datetime
import hashlib
import json
import math
import re
import struct
import sys
import zlib
from functools import lru_cache

import check_vouchers as log

NAMES = ['manifest.json', 'file.hash', 'chunk-manifest.json', 'merkle-proof.json', 'blockchain-receipt.json',
         'issuer-signature.jws', 'verification-policy.json', 'README.verify.md']
LISTED = [name for name in NAMES if name not in ('manifest.json', 'issuer-signature.jws')]
MEDIA = {'file.hash': 'text/plain', 'README.verify.md': 'text/markdown'}
FRAMES = {'framePlainSize': 1048576, 'headerSize': 48, 'tagSize': 16}
POLICY = 'sha256:71a3d85c380673e35ac75f6e67d7293fd582271d0d431d8a2c6d8dbd19fe6836'
README = 'sha256:f80b489af947c4fdf0cdb1c73fe98bffe8464fcedf54810040450ee3f68a7102'
GCM = 'RP-AES256-GCM-CHUNK-CHAIN-V1'
MIB = 1 << 20
SAFE = 2 ** 53 - 1


class Found(Exception):
    """The first thing that a check finds ends it; the code says what."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


def need(condition, code):
    if not condition:
        raise Found(code)


def sha(data):
    return hashlib.sha256(data).digest()


def digest(data):
    return 'sha256:' + sha(data).hex()


# --- proof-archive.md section 2

def read_archive(data):
    need(data is not None, 'ARCHIVE_UNREADABLE')
    need(len(data) <= 16 * MIB, 'ARCHIVE_TOO_LARGE')
    at, entries, heads = 0, {}, []

    def expect(code, fields):
        nonlocal at
        for size, value in fields:
            need(at + size <= len(data), 'ARCHIVE_TRUNCATED')
            need(int.from_bytes(data[at:at + size], 'little') == value, code)
            at += size

    def take(size):
        nonlocal at
        need(at + size <= len(data), 'ARCHIVE_TRUNCATED')
        at += size
        return data[at - size:at]

    for name in NAMES:
        need(at + 30 <= len(data), 'ARCHIVE_TRUNCATED')
        signature, crc, size = (struct.unpack_from('<I', data, at + place)[0] for place in (0, 14, 18))
        need(signature == 0x04034b50, 'ARCHIVE_ENTRY_HEADER')
        need(size <= 8 * MIB, 'ARCHIVE_ENTRY_TOO_LARGE')
        shared = [(2, 20), (2, 0x0800), (2, 0), (2, 0), (2, 0x0022), (4, crc), (4, size), (4, size), (2, len(name)),
                  (2, 0)]
        heads.append((name, crc, shared, at))
        expect('ARCHIVE_ENTRY_HEADER', [(4, 0x04034b50)] + shared)
        need(take(len(name)) == name.encode(), 'ARCHIVE_ENTRY_NAME')
        entries[name] = take(size)
    directory = at
    for name, _, shared, offset in heads:
        expect('ARCHIVE_DIRECTORY', [(4, 0x02014b50), (2, 0x033f)] + shared
               + [(2, 0), (2, 0), (2, 0), (4, 0x81a40000), (4, offset)])
        need(take(len(name)) == name.encode(), 'ARCHIVE_DIRECTORY')
    expect('ARCHIVE_END_RECORD', [(4, 0x06054b50), (2, 0), (2, 0), (2, 8), (2, 8), (4, at - directory),
                                  (4, directory), (2, 0)])
    need(at == len(data), 'ARCHIVE_TRAILING_BYTES')
    for name, crc, _, _ in heads:
        need(zlib.crc32(entries[name]) == crc, 'ARCHIVE_ENTRY_CHECKSUM')
    return entries


# --- verification.md section 4: strict JSON

NUMBER = re.compile(r'-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?', re.ASCII)
ESCAPE = re.compile(r'\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4}))|(\\)')
SHORT = {'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}


def parse_json(data, max_bytes=8 * MIB, max_depth=64):
    need(len(data) <= max_bytes, 'JSON_TOO_LARGE')
    try:
        text = data.decode('utf-8', 'strict')
    except UnicodeDecodeError:
        raise Found('JSON_NOT_UTF8') from None
    return Tokens(text, max_depth).whole()


class Tokens:
    def __init__(self, text, max_depth):
        self.text, self.max_depth, self.at, self.values = text, max_depth, 0, 0

    def whole(self):
        value = self.value(0)
        self.space()
        need(self.at == len(self.text), 'JSON_TRAILING_TOKEN')
        return value

    def space(self):
        while self.at < len(self.text) and self.text[self.at] in ' \n\r\t':
            self.at += 1

    def next(self):
        self.space()
        return self.text[self.at:self.at + 1]

    def take(self, token):
        found = self.next() == token
        self.at += found
        return found

    def value(self, depth):
        self.values += 1
        need(self.values <= 131072, 'JSON_TOO_MANY_VALUES')
        first = self.next()
        if first in ('{', '['):
            need(depth < self.max_depth, 'JSON_TOO_DEEP')
            self.at += 1
            return self.members(depth + 1) if first == '{' else self.items(depth + 1)
        if first == '"':
            return self.string()
        for word, value in (('true', True), ('false', False), ('null', None)):
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        token = NUMBER.match(self.text, self.at)
        need(token, 'JSON_SYNTAX')
        need(len(token.group()) <= 128, 'JSON_NUMBER_TOO_LONG')
        number = float(token.group())
        need(not math.isinf(number), 'JSON_NUMBER_OUT_OF_RANGE')
        self.at = token.end()
        return number

    def members(self, depth):
        found = {}
        if self.take('}'):
            return found
        count = 0
        while True:
            count += 1
            need(count <= 1024, 'JSON_TOO_MANY_VALUES')
            need(self.next() == '"', 'JSON_SYNTAX')
            name = self.string()
            need(name not in found, 'JSON_DUPLICATE_FIELD')
            need(self.take(':'), 'JSON_SYNTAX')
            found[name] = self.value(depth)
            if not self.take(','):
                break
        need(self.take('}'), 'JSON_SYNTAX')
        return found

    def items(self, depth):
        found = []
        if self.take(']'):
            return found
        while True:
            found.append(self.value(depth))
            if not self.take(','):
                break
        need(self.take(']'), 'JSON_SYNTAX')
        return found

    def string(self):
        start = end = self.at + 1
        while True:
            end = self.text.find('"', end)
            need(end >= 0, 'JSON_SYNTAX')
            slashes = end
            while slashes > start and self.text[slashes - 1] == '\\':
                slashes -= 1
            if (end - slashes) % 2 == 0:
                break
            end += 1
        raw = self.text[start:end]
        need(units(raw) <= 6 * 262144, 'JSON_STRING_TOO_LONG')
        need(not any(letter < ' ' for letter in raw), 'JSON_SYNTAX')
        value = unescape(raw) if '\\' in raw else raw
        need(byte_length(value) <= 262144, 'JSON_STRING_TOO_LONG')
        need(not any('\ud800' <= letter <= '\udfff' for letter in value), 'JSON_LONE_SURROGATE')
        self.at = end + 1
        return value


def units(text):
    return len(text) + sum(letter > '\uffff' for letter in text)


def byte_length(text):
    return sum(1 if letter < '\x80' else 2 if letter < '\u0800' or '\ud800' <= letter <= '\udfff'
               else 3 if letter <= '\uffff' else 4 for letter in text)


def unescape(raw):
    def one(match):
        short, code, bare = match.groups()
        need(bare is None, 'JSON_SYNTAX')
        return chr(int(code, 16)) if code else SHORT.get(short, short)
    pieces = ESCAPE.sub(one, raw)
    return pieces.encode('utf-16-le', 'surrogatepass').decode('utf-16-le', 'surrogatepass')


# --- manifest.md section 1: canonical JSON

def canonical(value):
    return write(value).encode()


def write(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode('utf-16-be'))
        return '{%s}' % ','.join(json.dumps(name, ensure_ascii=False) + ':' + write(value[name]) for name in names)
    if isinstance(value, list):
        return '[%s]' % ','.join(map(write, value))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return write_number(float(value))
    return json.dumps(value, ensure_ascii=False)


def write_number(value):
    """As ECMAScript writes it: the shortest digits that give the number back."""
    if value == 0:
        return '0'
    sign, number = ('-', -value) if value < 0 else ('', value)
    mantissa, _, exponent = ('%r' % number).partition('e')
    whole, _, part = mantissa.partition('.')
    part = '' if part == '0' else part
    digits = (whole + part).lstrip('0')
    point = len(whole) + int(exponent or 0) - (len(whole + part) - len(digits))
    digits = digits.rstrip('0')
    if len(digits) <= point <= 21:
        return sign + digits + '0' * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + '.' + digits[point:]
    if -6 < point <= 0:
        return sign + '0.' + '0' * -point + digits
    rest = '.' + digits[1:] if len(digits) > 1 else ''
    return '%s%s%se%+d' % (sign, digits[0], rest, point - 1)


# --- Shapes

def text(pattern):
    compiled = re.compile(pattern, re.ASCII | re.DOTALL)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def integer(low, high=SAFE):
    return lambda value: isinstance(value, float) and value == int(value) and low <= value <= high


def one_of(*words):
    return lambda value: isinstance(value, str) and value in words


def nullable(shape):
    return lambda value: value is None or shape(value)


def flag(value):
    return isinstance(value, bool)


def listed(shape, low, high):
    return lambda value: isinstance(value, list) and low <= len(value) <= high and all(map(shape, value))


def record(required, optional=None, ignores=False):
    optional = optional or {}

    def shape(value):
        if not isinstance(value, dict) or not set(required) <= set(value):
            return False
        if not ignores and not set(value) <= set(required) | set(optional):
            return False
        shapes = {**required, **optional}
        return all(shapes[name](value[name]) for name in value if name in shapes)
    return shape


def exists(year, month, day, hour, minute, second):
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return 1 <= month <= 12 and 1 <= day <= days[month - 1] and hour <= 23 and minute <= 59 and second <= 59


INSTANT = re.compile(r'(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})\.\d{3}Z', re.ASCII)
MOMENT = re.compile(r'(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|([+-])(\d{2}):(\d{2}))',
                    re.ASCII)


def instant(value):
    match = INSTANT.fullmatch(value) if isinstance(value, str) else None
    return match is not None and exists(*map(int, match.groups()))


def moment(value):
    if not isinstance(value, str):
        return integer(0)(value)
    match = MOMENT.fullmatch(value)
    if match is None or not exists(*map(int, match.groups()[:6])):
        return False
    sign, hours, minutes = match.groups()[6:]
    if sign and (int(hours) > 23 or int(minutes) > 59):
        return False
    year, month, day, hour, minute, _ = map(int, match.groups()[:6])
    offset = (int(hours) * 60 + int(minutes)) * (-1 if sign == '-' else 1) if sign else 0
    # Before 1970 or not: only the last days of 1969 and the first of 1970 can be moved over the border.
    return year > 1970 or (year, month, day) > (1970, 1, 2) or (
        year == 1970 and month == 1 and (day - 1) * 1440 + hour * 60 + minute - offset >= 0) or (
        (year, month) == (1969, 12) and day >= 30 and (day - 32) * 1440 + hour * 60 + minute - offset >= 0)


HEX = text('[0-9a-f]{64}')
DIGEST = text('sha256:[0-9a-f]{64}')
TRANSACTION = text('0x[0-9a-f]{64}')
ID = text('[1-9][0-9]{0,18}')
NAME = text(r'(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,128}')
SCHEMA = text('[a-z0-9.-]{1,64}')
UPPER = text('[A-Z][A-Z0-9_-]{0,63}')
PRINTABLE = text('[\x20-\x7e]{1,512}')
PROOF_ID = text('rp-proof-[0-9a-f]{64}')
STATUS = one_of('ACTIVE', 'SUPERSEDED', 'REVOKED', 'INVALID')
SEGMENT = r'(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._=-]+'
PATH = text(r'(?=.{1,512}\Z)%s(?:/%s)*' % (SEGMENT, SEGMENT))
BACKEND = text('[A-Z0-9][A-Z0-9_-]{0,15}')


def short_text(value):
    return value is None or isinstance(value, str) and units(value) <= 1000


SHAPES = {
    'manifest.json': record({
        'schemaVersion': SCHEMA, 'proofId': PROOF_ID, 'fileId': ID, 'fileVersion': integer(1), 'leafId': ID,
        'batchNo': NAME, 'issuedAt': instant, 'issuedStatus': STATUS, 'statusLocation': PRINTABLE,
        'signature': record({'algorithm': PRINTABLE, 'keyId': NAME, 'keyVersion': integer(1),
                             'publicKeyFingerprint': DIGEST, 'verificationKeyLocation': PRINTABLE}),
        'entries': listed(record({'name': PRINTABLE, 'mediaType': PRINTABLE, 'sha256': DIGEST, 'size': integer(0),
                                  'required': flag, 'present': flag}), 6, 6)}),
    'chunk-manifest.json': record({
        'schemaVersion': SCHEMA, 'fileId': ID, 'fileVersion': integer(1), 'contentHash': DIGEST, 'chainRecordId': HEX,
        'manifestHash': DIGEST, 'sourceSchema': SCHEMA, 'hashAlgorithm': UPPER, 'chunkSize': integer(1),
        'chunkCount': integer(1, 10000), 'totalSize': integer(1), 'encryptionAlgorithm': one_of('NONE', GCM),
        'storageBackend': BACKEND, 'chunks': listed(record({
            'index': integer(0, 9999), 'plainHash': DIGEST, 'cipherHash': DIGEST, 'size': integer(1),
            'objectPath': PATH, 'checksumAlgorithm': UPPER}), 1, 10000)}),
    'merkle-proof.json': record({
        'schemaVersion': SCHEMA, 'evidenceType': UPPER, 'evidenceHash': DIGEST, 'proofAlgorithm': UPPER,
        'merkleRoot': HEX, 'leafHash': HEX, 'leafIndex': integer(0), 'treeSize': integer(1),
        'proofPath': listed(record({'position': one_of('LEFT', 'RIGHT'), 'hash': HEX}), 0, 64)}),
    'blockchain-receipt.json': record({
        'schemaVersion': SCHEMA, 'chainRecordId': HEX, 'batchChainRoot': HEX, 'batchNo': NAME,
        'blockNumber': integer(0),
        'confirmationSource': one_of('CHAIN_WRITE', 'CHAIN_QUERY_BEFORE_WRITE', 'CHAIN_QUERY_AFTER_WRITE'),
        'contract': record({'chainType': UPPER, 'chainId': NAME, 'groupId': NAME,
                            'contractAddress': text('0x[0-9a-f]{40}')}, {'ledgerKey': PRINTABLE})},
        {'fileTransactionHash': TRANSACTION, 'batchTransactionHash': TRANSACTION}),
    'verification-policy.json': lambda value: True,
}
KEY_MEMBERS = {'algorithm': one_of('EdDSA'), 'keyId': NAME, 'keyVersion': integer(1), 'publicKeyFingerprint': DIGEST,
               'publicKeySpki': text('[A-Za-z0-9+/]+={0,2}')}
WORD = text('[\x21-\x7e]{1,128}')
HEADER = record({'alg': WORD, 'keyVersion': integer(1), 'kid': WORD, 'typ': WORD})


def status_version(value):
    if isinstance(value, str):
        return re.fullmatch('[1-9][0-9]{0,15}', value, re.ASCII) is not None and int(value) <= SAFE
    return integer(1)(value)


def envelope(data):
    return record({'code': integer(200, 200), 'data': data}, {'message': short_text}, True)


KEY_PERIOD = {'usedFrom': moment, 'usedUntil': nullable(moment)}
KEY_ANSWER = envelope(record(KEY_MEMBERS, KEY_PERIOD, True))
STATUS_ANSWER = envelope(record({
    'proofId': PROOF_ID, 'status': STATUS, 'statusVersion': status_version, 'issuedStatus': STATUS, 'keyId': NAME,
    'keyVersion': integer(1), 'issuedAt': moment, 'updatedAt': moment}, {
        'reason': short_text, 'manifestSha256': nullable(DIGEST), 'contentHash': nullable(DIGEST),
        'ledgerEntries': nullable(record({
            name: nullable(integer(0)) for name in ('issued', 'status', 'keyInUse', 'keyRetired')}, {}, True))}, True))
WITHDRAWN = record({'data': record({'status': one_of('REVOKED', 'SUPERSEDED', 'INVALID')}, {}, True)}, {}, True)
ROOT_ANSWER = record({
    'schemaVersion': one_of('service-chain-root-resolution.v1'), 'chainType': NAME, 'chainId': NAME, 'groupId': NAME,
    'contractAddress': text('0x[0-9a-fA-F]{40}'), 'batchNo': NAME, 'merkleRoot': text('[0-9a-fA-F]{64}'),
    'blockNumber': integer(0)}, {'transactionHash': nullable(text('0x[0-9a-fA-F]{64}'))}, True)


def read_entry(data, name):
    value = parse_json(data)
    need(SHAPES[name](value), 'JSON_SHAPE')
    need(canonical(value) == data, 'JSON_NOT_CANONICAL')
    return value


# --- Base64 and Ed25519 (proof-archive.md section 7)

def unbase64(given, alphabet):
    """Without freedom: only this alphabet, no spare bits; padding was taken off by whoever allows it."""
    need(len(given) % 4 != 1 and all(letter in alphabet for letter in given), 'MALFORMED')
    padded = given + '=' * (-len(given) % 4)
    data = base64.b64decode(padded, altchars=(alphabet[62:]).encode())
    need(base64.b64encode(data, altchars=(alphabet[62:]).encode()).decode() == padded, 'MALFORMED')
    return data


LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'


def base64url(given):
    return unbase64(given, LETTERS + '-_')


def padded64(given):
    need(len(given) % 4 == 0, 'MALFORMED')
    return unbase64(given[:-2] if given.endswith('==') else given[:-1] if given.endswith('=') else given,
                    LETTERS + '+/')


P = 2 ** 255 - 19
L = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
EIGHTH = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826
SMALL = (0, 1, P - 1, EIGHTH, P - EIGHTH)


def add(one, two):
    a, b = (one[1] - one[0]) * (two[1] - two[0]) % P, (one[1] + one[0]) * (two[1] + two[0]) % P
    c, d = 2 * one[3] * two[3] * D % P, 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def encode(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, 'little')


@lru_cache(maxsize=64)
def find_point(encoded):
    """The point of a canonical encoding, or None."""
    y, odd = int.from_bytes(encoded, 'little') & (2 ** 255 - 1), encoded[31] >> 7
    if len(encoded) != 32 or y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P != 0 or (x == 0 and odd):
        return None
    x = P - x if x & 1 != odd else x
    return x, y, 1, x * y % P


@lru_cache(maxsize=64)
def is_public_key(encoded):
    point = find_point(encoded)
    return point is not None and point[:2] != (0, 1) and encode(times(L, point)) == encode((0, 1, 1, 0))


BASE = find_point((4 * pow(5, P - 2, P) % P).to_bytes(32, 'little'))


def is_safe_signature(signature):
    if len(signature) != 64:
        return False
    y = int.from_bytes(signature[:32], 'little') & (2 ** 255 - 1)
    return (find_point(signature[:32]) is not None and y not in SMALL
            and int.from_bytes(signature[32:], 'little') < L)


def is_signed(key, message, signature):
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), 'little') % L
    s = int.from_bytes(signature[32:], 'little')
    return encode(add(times(s, BASE), times(L - k, find_point(key)))) == signature[:32]


def to_key(members):
    spki = padded64(members['publicKeySpki'])
    need(len(spki) == 44 and spki[:12].hex() == '302a300506032b6570032100', 'MALFORMED')
    need(is_public_key(spki[12:]) and digest(spki) == members['publicKeyFingerprint'], 'MALFORMED')
    return {**members, 'raw': spki[12:]}


def read_jws(data):
    need(len(data) <= 262144 and data.endswith(b'\n'), 'MALFORMED')
    parts = data.decode('ascii')[:-1].split('.')
    need(len(parts) == 3 and all(parts), 'MALFORMED')
    header_bytes, payload, signature = map(base64url, parts)
    header = parse_json(header_bytes, 1024, 4)
    need(HEADER(header), 'MALFORMED')
    return {'header': header, 'spelled': canonical(header) == header_bytes, 'payload': payload,
            'signature': signature, 'input': (parts[0] + '.' + parts[1]).encode()}


def hash_pieces(file, size, count, limit):
    """The length and digest of the whole, and of its first pieces; holds one block at a time."""
    whole, total, pieces, piece, room = hashlib.sha256(), 0, [], None, 0
    while block := file.read(MIB):
        total += len(block)
        need(total <= limit, 'ORIGINAL_TOO_LARGE')
        whole.update(block)
        while block and (piece is not None or len(pieces) < count):
            if piece is None:
                piece, room = hashlib.sha256(), size
            part, block = block[:room], block[room:]
            piece.update(part)
            room -= len(part)
            if room == 0:
                pieces.append('sha256:' + piece.hexdigest())
                piece = None
    if piece is not None:
        pieces.append('sha256:' + piece.hexdigest())
    return total, 'sha256:' + whole.hexdigest(), pieces


# --- The checks (verification.md section 3)

class Verification:
    def __init__(self, given):
        self.given, self.codes = given, {}
        self.live = given.get('live')

    def check(self, name, work):
        """Keeps the code of the check; what it reads is its result, None when it found something."""
        try:
            result = work()
            self.codes[name] = 'OK'
            return True if result is None else result
        except Found as found:
            self.codes[name] = found.code
            return None

    def run(self):
        archive = self.given['archive']
        entries = self.check('archive.structure', lambda: read_archive(archive))
        self.entries = entries
        self.manifest, self.chunks, self.merkle, self.receipt, _ = (
            self.check('json.' + name, lambda name=name: read_entry(self.there(entries)[name], name))
            for name in ('manifest.json', 'chunk-manifest.json', 'merkle-proof.json', 'blockchain-receipt.json',
                         'verification-policy.json'))
        self.check('manifest.contract', self.manifest_contract)
        self.check('manifest.entry-digests', self.entry_digests)
        self.check('policy.contract', lambda: need(
            digest(self.there(entries)['verification-policy.json']) == POLICY, 'POLICY_CHANGED'))
        self.check('policy.readme', lambda: need(
            digest(self.there(entries)['README.verify.md']) == README, 'README_CHANGED'))
        self.check('chunks.contract', self.chunks_contract)
        self.content = None
        self.check('content.original', self.original)
        self.check('content.size', lambda: need(
            self.there(self.content)['size'] == self.chunks['totalSize'], 'CONTENT_SIZE_MISMATCH'))
        self.check('content.file-hash', self.file_hash)
        self.check('content.chunk-hashes', self.chunk_hashes)
        self.check('merkle.path', self.merkle_path)
        self.check('chain.receipt', self.chain_receipt)
        self.key = self.jws = None
        self.jws_code = self.local_jws()
        self.check('signature.key', self.signature_key)
        self.check('signature.jws', self.signature_jws)
        sound = self.is_sound()
        self.check('status.current', lambda: self.status_current(sound))
        self.check('chain.live-root', lambda: self.live_root(sound))
        return self.outcome()

    def there(self, *readings):
        need(all(reading is not None for reading in readings), 'NOT_RUN')
        return readings[0]

    def is_sound(self):
        return all(verdict(code) in ('VALID', 'INDETERMINATE') for code in self.codes.values())

    def outcome(self):
        verdicts = {verdict(code) for code in self.codes.values()}
        return next(word for word in ('ERROR', 'INVALID', 'INDETERMINATE', 'VALID') if word in verdicts)

    def manifest_contract(self):
        manifest = self.there(self.manifest)
        signature = manifest['signature']
        fits = (manifest['schemaVersion'] == 'service-proof-manifest.v2' and manifest['issuedStatus'] == 'ACTIVE'
                and signature['algorithm'] == 'EdDSA'
                and manifest['statusLocation'] == '/api/v1/public/proofs/%s/status' % manifest['proofId']
                and signature['verificationKeyLocation'] == '/api/v1/public/proof-keys/%s/versions/%d'
                % (signature['keyId'], signature['keyVersion'])
                and all((entry['name'], entry['mediaType'], entry['required'], entry['present'])
                        == (name, MEDIA.get(name, 'application/json'), True, True)
                        for name, entry in zip(LISTED, manifest['entries'])))
        need(fits, 'MANIFEST_CONTRACT')

    def entry_digests(self):
        manifest = self.there(self.manifest)
        for name in LISTED:
            entry = next((entry for entry in manifest['entries'] if entry['name'] == name), None)
            need(entry is not None, 'ENTRY_NOT_LISTED')
            need(entry['size'] == len(self.entries[name]), 'ENTRY_SIZE_MISMATCH')
            need(entry['sha256'] == digest(self.entries[name]), 'ENTRY_DIGEST_MISMATCH')

    def chunks_contract(self):
        chunks, manifest = self.there(self.chunks, self.manifest), self.manifest
        size, total = int(chunks['chunkSize']), int(chunks['totalSize'])
        count, encryption = len(chunks['chunks']), chunks['encryptionAlgorithm']
        need((chunks['schemaVersion'], chunks['sourceSchema'], chunks['hashAlgorithm']) == (
            'service-proof-chunk-manifest.v1', 'recordproof.chunk-manifest.v1', 'SHA-256'), 'CHUNKS_CONTRACT')
        need((chunks['fileId'], chunks['fileVersion']) == (manifest['fileId'], manifest['fileVersion']),
             'CHUNKS_CONTRACT')
        need(chunks['chunkCount'] == count == math.ceil(total / size), 'CHUNKS_CONTRACT')
        rebuilt = []
        for index, chunk in enumerate(chunks['chunks']):
            plain = min(size, total - index * size)
            need((chunk['index'], chunk['size'], chunk['checksumAlgorithm']) == (index, plain, 'SHA-256'),
                 'CHUNKS_CONTRACT')
            need(encryption != 'NONE' or chunk['plainHash'] == chunk['cipherHash'], 'CHUNKS_CONTRACT')
            stored = plain if encryption == 'NONE' else (
                FRAMES['headerSize'] + plain + FRAMES['tagSize'] * -(-plain // FRAMES['framePlainSize']))
            need(stored <= SAFE, 'CHUNKS_CONTRACT')
            entry = {'index': index, 'plainHash': chunk['plainHash'], 'cipherHash': chunk['cipherHash'],
                     'size': stored, 'storagePath': chunk['objectPath'], 'storageBackend': chunks['storageBackend'],
                     'checksumAlgorithm': 'SHA-256'}
            rebuilt.append(entry if stored == plain else {**entry, 'plainSize': plain})
        source = {'schema': chunks['sourceSchema'], 'fileHash': chunks['chainRecordId'], 'hashAlgorithm': 'SHA-256',
                  'chunkSize': size, 'totalSize': total, 'storageBackend': chunks['storageBackend'],
                  'encryptionAlgorithm': encryption, 'chunks': rebuilt}
        if encryption == GCM:
            source['encryption'] = FRAMES
        need(digest(canonical(source)) == chunks['manifestHash'], 'MANIFEST_HASH_MISMATCH')

    def original(self):
        chunks = self.there(self.chunks)
        size, count = int(chunks['chunkSize']), int(chunks['chunkCount'])
        try:
            with open(self.given['original'], 'rb') as file:
                total, whole, pieces = hash_pieces(file, size, count, self.given.get('maxFileBytes', 1 << 40))
        except OSError:
            raise Found('ORIGINAL_UNREADABLE') from None
        if count == 1:
            pieces = [whole] if total <= size else []
        self.content = {'size': total, 'hash': whole, 'pieces': pieces}
        need(whole == chunks['contentHash'], 'CONTENT_HASH_MISMATCH')

    def file_hash(self):
        content, recorded = self.there(self.content), self.chunks['contentHash']
        need(self.entries['file.hash'] == (recorded + '\n').encode(), 'FILE_HASH_ENTRY_MISMATCH')
        need(content['hash'] == recorded, 'FILE_HASH_MISMATCH')

    def chunk_hashes(self):
        pieces, chunks = self.there(self.content)['pieces'], self.chunks['chunks']
        need(len(pieces) == len(chunks), 'CHUNK_COUNT_MISMATCH')
        need(pieces == [chunk['plainHash'] for chunk in chunks], 'CHUNK_HASH_MISMATCH')

    def merkle_path(self):
        merkle = self.there(self.merkle, self.chunks)
        need((merkle['schemaVersion'], merkle['evidenceType'], merkle['proofAlgorithm']) == (
            'service-proof-merkle.v1', 'MANIFEST_HASH', 'RP-MERKLE-SHA256-V1'), 'MERKLE_CONTRACT')
        index, count, sides = int(merkle['leafIndex']), int(merkle['treeSize']), []
        need(index < count, 'MERKLE_CONTRACT')
        while count > 1:
            sides += ['LEFT'] if index % 2 == 1 else ['RIGHT'] if index + 1 < count else []
            index, count = index // 2, (count + 1) // 2
        need(sides == [step['position'] for step in merkle['proofPath']], 'MERKLE_CONTRACT')
        need(merkle['evidenceHash'] == self.chunks['manifestHash'], 'EVIDENCE_HASH_MISMATCH')
        node = sha(b'\0' + bytes.fromhex(merkle['evidenceHash'][7:]))
        need(node.hex() == merkle['leafHash'], 'LEAF_HASH_MISMATCH')
        for step in merkle['proofPath']:
            sibling = bytes.fromhex(step['hash'])
            node = sha(b'\1' + sibling + node) if step['position'] == 'LEFT' else sha(b'\1' + node + sibling)
        need(node.hex() == merkle['merkleRoot'], 'MERKLE_ROOT_MISMATCH')

    def chain_receipt(self):
        receipt = self.there(self.receipt, self.manifest, self.chunks, self.merkle)
        contract = receipt['contract']
        fits = (receipt['schemaVersion'] == 'service-proof-blockchain-receipt.v1'
                and receipt['chainRecordId'] == self.chunks['chainRecordId']
                and receipt['batchNo'] == self.manifest['batchNo']
                and receipt['batchChainRoot'] == self.merkle['merkleRoot'])
        need(fits and ('ledgerKey' not in contract or is_own_ledger(contract)), 'RECEIPT_MISMATCH')

    def local_jws(self):
        """The code of what is wrong with the signature before any key is looked at."""
        if self.entries is None:
            return 'NOT_RUN'
        try:
            self.jws = read_jws(self.entries['issuer-signature.jws'])
        except (Found, UnicodeDecodeError):
            return 'JWS_MALFORMED'
        if self.jws['payload'] != self.entries['manifest.json']:
            return 'JWS_PAYLOAD_MISMATCH'
        if self.manifest is None:
            return 'NOT_RUN'
        named = self.manifest['signature']
        header = {'alg': 'EdDSA', 'keyVersion': named['keyVersion'], 'kid': named['keyId'], 'typ': 'JOSE'}
        fits = self.jws['header'] == header and self.jws['spelled'] and is_safe_signature(self.jws['signature'])
        return None if fits else 'JWS_CONTRACT'

    def signature_key(self):
        if self.given.get('trustedKey') is not None:
            return self.use(self.trusted_file())
        need(self.live is not None and not self.given.get('requireTrustedKey'), 'TRUSTED_KEY_MISSING')
        need(self.jws_code is None and self.manifest is not None and self.is_sound(), 'NOT_RUN')
        named = self.manifest['signature']
        key = to_key(self.ask('KEY', self.live.get('key'), KEY_ANSWER, lambda answer: to_key(answer['data']))['data'])
        need((key['keyId'], key['keyVersion']) == (named['keyId'], named['keyVersion']), 'KEY_IDENTITY_MISMATCH')
        self.use(key)
        need('usedFrom' in key, 'KEY_PERIOD_UNKNOWN')

    def trusted_file(self):
        try:
            with open(self.given['trustedKey'], 'rb') as file:
                data = file.read(262145)
        except OSError:
            raise Found('TRUSTED_KEY_UNREADABLE') from None
        try:
            members = parse_json(data, 262144)
            need(record(KEY_MEMBERS, KEY_PERIOD)(members), 'MALFORMED')
            key = to_key(members)
        except Found:
            raise Found('TRUSTED_KEY_INVALID') from None
        named = self.there(self.manifest)['signature']
        need((key['keyId'], key['keyVersion']) == (named['keyId'], named['keyVersion']), 'TRUSTED_KEY_OTHER')
        return key

    def use(self, key):
        self.key = key
        need(key['publicKeyFingerprint'] == self.manifest['signature']['publicKeyFingerprint'],
             'KEY_FINGERPRINT_MISMATCH')
        if 'usedFrom' in key:
            issued, until = millis(self.manifest['issuedAt']), key.get('usedUntil')
            need(issued >= millis(key['usedFrom']) - SKEW, 'KEY_NOT_IN_USE')
            need(until is None or issued <= millis(until) + SKEW, 'KEY_NOT_IN_USE')

    def signature_jws(self):
        need(self.jws_code is None, self.jws_code)
        need(self.key is not None, 'SIGNATURE_NOT_CHECKED')
        need(is_signed(self.key['raw'], self.jws['input'], self.jws['signature']), 'SIGNATURE_INVALID')

    def ask(self, subject, answer, shape, use=lambda answer: None):
        """Section 4: the answer when it can be used, else the code for why not."""
        answer = answer or {'status': 500}
        status, body = answer['status'], answer.get('body', '').encode()
        need(status != 404, subject + '_UNKNOWN')
        need(not 300 <= status < 400, subject + '_REDIRECT_REFUSED')
        need(status == 200, subject + '_ANSWER_NOT_OK')
        need(answer.get('mediaType', 'application/json') == 'application/json', subject + '_MEDIA_TYPE_REFUSED')
        need(len(body) <= 262144, subject + '_ANSWER_TOO_LARGE')
        try:
            value = parse_json(body, 262144)
            need(shape(value), 'MALFORMED')
            use(value)
        except Found:
            raise Found(subject + '_ANSWER_MALFORMED') from None
        return value

    def status_current(self, sound):
        need(self.live is not None, 'OFFLINE')
        need(sound and self.manifest is not None and self.receipt is not None, 'NOT_RUN')
        answer = self.ask('STATUS', self.live.get('proofStatus'),
                          lambda value: STATUS_ANSWER(value) or WITHDRAWN(value))
        current, named = answer['data'], self.manifest['signature']
        if STATUS_ANSWER(answer):
            need((current['proofId'], current['keyId'], current['keyVersion'], current['issuedStatus']) == (
                self.manifest['proofId'], named['keyId'], named['keyVersion'], self.manifest['issuedStatus']),
                'STATUS_IDENTITY_MISMATCH')
            need(millis(current['issuedAt']) == millis(self.manifest['issuedAt']), 'STATUS_IDENTITY_MISMATCH')
            for member, own in (('manifestSha256', digest(self.entries['manifest.json'])),
                                ('contentHash', self.chunks['contentHash'])):
                need(current.get(member) in (None, own), 'STATUS_IDENTITY_MISMATCH')
        need(current['status'] == 'ACTIVE', 'STATUS_' + current['status'])
        need(None not in (current.get('manifestSha256'), current.get('contentHash')), 'STATUS_INCOMPLETE')
        if self.names_ledger():
            self.life(current)

    def life(self, current):
        """Section 4.2."""
        size, bundle_at = self.signed_log()
        positions = current.get('ledgerEntries')
        need(positions is not None, 'STATUS_NOT_ON_LEDGER')
        positions = {name: value if value is None else int(value) for name, value in positions.items()
                     if name in ('issued', 'status', 'keyInUse', 'keyRetired')}

        def entry_at(position):
            if position is None or position >= size:
                return None
            try:
                bytes_ = bundle_at(position)[position % 256]
                value = parse_json(bytes_, 4096, 2)
                return value if LIFE_ENTRY(value) and canonical(value) == bytes_ else {'kind': None}
            except Found as found:
                if found.code.startswith('LEDGER_'):
                    raise
                return {'kind': None}
        if size > 0:
            entry_at(size - 1)
        names = ('issued', 'status', 'keyInUse', 'keyRetired')
        found = {name: entry_at(positions[name]) for name in names}
        need(all(positions[name] is None or positions[name] < size for name in names), 'STATUS_NOT_ON_LEDGER')
        manifest, signature = self.manifest, self.manifest['signature']
        dated, far = millis(manifest['issuedAt']), float('inf')

        def is_key(entry, state):
            return entry['kind'] == 'SIGNING_KEY' and entry['state'] == state and all(
                entry[member] == signature[member] for member in ('keyId', 'keyVersion', 'publicKeyFingerprint'))
        in_use, retired, issued, newest = (found[name] for name in ('keyInUse', 'keyRetired', 'issued', 'status'))
        need(in_use is not None, 'STATUS_NOT_ON_LEDGER')
        need(is_key(in_use, 'IN_USE') and (retired is None or is_key(retired, 'RETIRED')), 'KEY_ENTRY_MISMATCH')
        need(retired is None or dated <= millis(retired['recordedAt']) + SKEW, 'KEY_NOT_IN_USE')
        if issued is None:
            need(self.receipt['blockNumber'] < positions['keyInUse']
                 and dated <= millis(in_use['recordedAt']) + SKEW, 'STATUS_NOT_ON_LEDGER')
        else:
            need(issued['kind'] == 'PROOF_ISSUED' and issued['proofIdSha256'] == digest(manifest['proofId'].encode())
                 and issued['manifestSha256'] == digest(self.entries['manifest.json']), 'ISSUE_ENTRY_MISMATCH')
            need(dated <= millis(issued['recordedAt']) + SKEW, 'ISSUE_ENTRY_MISMATCH')
            end = far if positions['keyRetired'] is None else positions['keyRetired']
            need(positions['keyInUse'] < positions['issued'] < end, 'KEY_NOT_IN_USE')
        version = int(current['statusVersion'])
        if newest is None:
            need(version == 1, 'STATUS_NOT_ON_LEDGER')
        else:
            need(newest['kind'] == 'PROOF_STATUS' and newest['proofIdSha256'] == digest(manifest['proofId'].encode())
                 and (newest['status'], newest['statusVersion']) == ('ACTIVE', version), 'STATUS_ENTRY_MISMATCH')

    def live_root(self, sound):
        need(self.live is not None, 'OFFLINE')
        need(sound and self.manifest is not None and self.receipt is not None, 'NOT_RUN')
        live = self.ask('CHAIN', self.live.get('chain'), ROOT_ANSWER)
        contract, receipt = self.receipt['contract'], self.receipt
        transaction = live.get('transactionHash')
        shown = (live['chainType'], live['chainId'], live['groupId'], live['contractAddress'].lower(),
                 live['batchNo'], live['merkleRoot'].lower(), transaction and transaction.lower(),
                 live['blockNumber'])
        signed = (contract['chainType'], contract['chainId'], contract['groupId'], contract['contractAddress'],
                  receipt['batchNo'], receipt['batchChainRoot'], receipt.get('batchTransactionHash'),
                  receipt['blockNumber'])
        need(shown == signed, 'CHAIN_ROOT_MISMATCH')
        if self.names_ledger():
            size, bundle_at = self.signed_log()
            need(receipt['blockNumber'] < size, 'CHAIN_ENTRY_MISMATCH')
            self.entry_and_times(bundle_at(int(receipt['blockNumber'])), int(receipt['blockNumber']) % 256)

    def names_ledger(self):
        return self.live.get('ledger') is not None and self.receipt['contract']['chainType'] == 'LOCAL_LEDGER'

    def read_ledger(self, path):
        answer = self.live['ledger'].get(path, {'status': 404})
        need(answer['status'] != 404, 'LEDGER_UNKNOWN')
        need(not 300 <= answer['status'] < 400, 'LEDGER_REDIRECT_REFUSED')
        need(answer['status'] == 200, 'LEDGER_ANSWER_NOT_OK')
        return base64.b64decode(answer['base64'])

    def signed_log(self):
        """Section 4.1: the size of the checkpoint, and bundles that are under its root."""
        contract = self.receipt['contract']

        def guarded(work):
            try:
                return work()
            except (log.Malformed, UnicodeDecodeError):
                raise Found('LEDGER_ANSWER_MALFORMED') from None
            except Found as found:
                raise Found('LEDGER_ANSWER_MALFORMED' if found.code == 'MALFORMED' else found.code) from None

        def read_checkpoint():
            text = contract.get('ledgerKey') or self.read_ledger('key').decode().strip()
            need(is_own_ledger({**contract, 'ledgerKey': text}), 'MALFORMED')
            note = log.parse_note(self.read_ledger('checkpoint'))
            key = log.parse_key(text)
            need(log.check_key(note, key)[0] == 'VALID', 'MALFORMED')
            origin, size, root = log.parse_checkpoint(note[0])
            need(origin == key[0], 'MALFORMED')
            return size, root
        size, root = guarded(read_checkpoint)

        def bundle_at(position):
            bundle = read_bundle(self.read_ledger, position // 256, size)
            leaves = [log.hash_leaf(entry) for entry in bundle]
            path = [node_hash(self.read_ledger, first, last, size, position // 256, leaves)
                    for first, last in sibling_ranges(position, size)]
            need(log.root_of(leaves[position % 256], position, size, path) == root, 'MALFORMED')
            return bundle
        return size, lambda position: guarded(lambda: bundle_at(position))

    def entry_and_times(self, bundle, at):
        receipt, own = self.receipt, bundle[at]
        transaction = '0x' + log.hash_leaf(own).hex()
        need(receipt.get('batchTransactionHash', transaction) == transaction, 'CHAIN_ENTRY_MISMATCH')
        try:
            entry = parse_json(own, 4096, 2)
            need(BATCH_ROOT(entry) and canonical(entry) == own, 'MALFORMED')
        except Found:
            raise Found('CHAIN_ENTRY_MISMATCH') from None
        need((entry['batchNo'], entry['merkleRoot']) == (receipt['batchNo'], receipt['batchChainRoot']),
             'CHAIN_ENTRY_MISMATCH')
        recorded = millis(entry['recordedAt'])
        need(millis(self.manifest['issuedAt']) >= recorded - SKEW, 'CHAIN_TIME_MISMATCH')
        times = [recorded_at(entry) for entry in bundle]
        need(all(time is None or time <= recorded + SKEW for time in times[:at]), 'CHAIN_TIME_DISORDER')
        need(all(time is None or time >= recorded - SKEW for time in times[at + 1:]), 'CHAIN_TIME_DISORDER')


# --- The ledger (ledger.md, sections 2 to 4)

SKEW = 5000
BATCH_ROOT = record({
    'schema': one_of('recordproof.ledger-entry.v1'), 'kind': one_of('BATCH_ROOT'), 'recordedAt': instant,
    'batchNo': NAME, 'merkleRoot': HEX, 'treeSize': integer(1)})


def entry_shape(kind, members):
    return record({'schema': one_of('recordproof.ledger-entry.v1'), 'kind': one_of(kind), 'recordedAt': instant, **members})


LIFE_SHAPES = (
    entry_shape('PROOF_ISSUED', {'proofIdSha256': DIGEST, 'manifestSha256': DIGEST}),
    entry_shape('PROOF_STATUS', {'proofIdSha256': DIGEST, 'status': STATUS, 'statusVersion': integer(2)}),
    entry_shape('SIGNING_KEY', {'keyId': NAME, 'keyVersion': integer(1), 'publicKeyFingerprint': DIGEST,
                                'state': one_of('IN_USE', 'RETIRED')}))


def LIFE_ENTRY(value):
    return any(shape(value) for shape in LIFE_SHAPES)



def millis(value):
    """A time in either of its forms as whole milliseconds since 1970; digits behind the third are dropped."""
    if not isinstance(value, str):
        return int(value)
    match = MOMENT.fullmatch(value)
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    sign, hours, minutes = match.groups()[6:]
    fraction = re.search(r'\.(\d+)', value)
    offset = (int(hours) * 60 + int(minutes)) * (-1 if sign == '-' else 1) if sign else 0
    days = datetime.date(year, month, day).toordinal() - datetime.date(1970, 1, 1).toordinal()
    whole = days * 86400 + hour * 3600 + (minute - offset) * 60 + second
    return whole * 1000 + int(fraction.group(1)[:3].ljust(3, '0') if fraction else 0)


def recorded_at(entry):
    try:
        value = parse_json(entry, 4096, 2)
    except Found:
        return None
    time = value.get('recordedAt') if isinstance(value, dict) else None
    return millis(time) if instant(time) else None


def tile_name(level, index, size):
    width = min(256, size // 256 ** level - index * 256)
    digits = str(index)
    digits = digits.rjust(-(-len(digits) // 3) * 3, '0')
    groups = re.findall('...', digits)
    name = '/'.join(['x' + group for group in groups[:-1]] + groups[-1:])
    return 'tile/%s/%s%s' % ('%s', name, '' if width == 256 else '.p/%d' % width), width


def read_bundle(read, index, size):
    name, width = tile_name(0, index, size)
    data, entries = read(name % 'entries'), []
    while data:
        need(len(data) >= 2 and len(data) >= 2 + int.from_bytes(data[:2], 'big'), 'MALFORMED')
        end = 2 + int.from_bytes(data[:2], 'big')
        entries.append(data[2:end])
        data = data[end:]
    need(len(entries) == width, 'MALFORMED')
    return entries


def sibling_ranges(position, size):
    """The leaves under each hash of the path, from the leaf to the root."""
    first, last, ranges = 0, size, []
    while last - first > 1:
        half = 1 << (last - first - 1).bit_length() - 1
        if position < first + half:
            ranges.append((first + half, last))
            last = first + half
        else:
            ranges.append((first, first + half))
            first += half
    return ranges[::-1]


def node_hash(read, first, last, size, own, leaves):
    """The hash over the leaves from first to last; those of the own bundle are known already."""
    count = last - first
    if count & (count - 1):
        half = 1 << count.bit_length() - 1
        return log.hash_node(node_hash(read, first, first + half, size, own, leaves),
                             node_hash(read, first + half, last, size, own, leaves))
    level = (count.bit_length() - 1) // 8
    at = first // 256 ** level
    if level == 0 and at // 256 == own:
        hashes = leaves
    else:
        name, width = tile_name(level, at // 256, size)
        data = read(name % level)
        need(len(data) == 32 * width, 'MALFORMED')
        hashes = [data[i:i + 32] for i in range(0, len(data), 32)]
    row = hashes[at % 256:at % 256 + count // 256 ** level]
    while len(row) > 1:
        row = [log.hash_node(*row[i:i + 2]) for i in range(0, len(row), 2)]
    return row[0]


def is_own_ledger(contract):
    parts = re.fullmatch(r'([^+ ]{1,255})\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})', contract['ledgerKey'], re.ASCII)
    if parts is None:
        return False
    name, key_id, encoded = parts.groups()
    try:
        typed = padded64(encoded)
    except Found:
        return False
    if len(typed) != 33 or typed[0] != 1 or not is_public_key(typed[1:]):
        return False
    identity = sha(typed[1:]).hex()
    return sha(name.encode() + b'\n' + typed)[:4].hex() == key_id and (
        contract['chainType'], contract['groupId'], contract['chainId'], contract['contractAddress']) == (
        'LOCAL_LEDGER', 'default', identity[:16], '0x' + identity[:40])


ERRORS = re.compile('ARCHIVE_|JSON_|ORIGINAL_|TRUSTED_KEY_(UNREADABLE|INVALID)|JWS_MALFORMED')
OPEN = re.compile('NOT_RUN|OFFLINE|TRUSTED_KEY_(MISSING|OTHER)|SIGNATURE_NOT_CHECKED|KEY_PERIOD_UNKNOWN'
                  '|STATUS_INCOMPLETE|STATUS_NOT_ON_LEDGER|CHAIN_TIME_DISORDER|(KEY|STATUS|CHAIN|LEDGER)_(UNKNOWN|ANSWER_'
                  '|REDIRECT_REFUSED|MEDIA_TYPE_REFUSED)')


def verdict(code):
    if code == 'OK':
        return 'VALID'
    return 'ERROR' if ERRORS.match(code) else 'INDETERMINATE' if OPEN.match(code) else 'INVALID'


def verify(given):
    """`given` as in a line of --each."""
    if 'proofBase64' in given:
        archive = base64.b64decode(given['proofBase64'])
    else:
        try:
            with open(given['proof'], 'rb') as file:
                archive = file.read(16 * MIB + 1)
        except OSError:
            archive = None
    verification = Verification({**given, 'archive': archive})
    outcome = verification.run()
    return {'outcome': outcome, 'codes': verification.codes}


if __name__ == '__main__':
    if sys.argv[1:] == ['--each']:
        for line in sys.stdin:
            print(json.dumps(verify(json.loads(line))), flush=True)
    else:
        answer = verify(dict(zip(('original', 'proof', 'trustedKey'), sys.argv[1:])))
        print(json.dumps(answer, indent=1))
        agrees = set(answer['codes'].values()) <= {'OK', 'OFFLINE'}
        sys.exit(0 if agrees else {'INVALID': 2, 'INDETERMINATE': 3, 'ERROR': 4}[answer['outcome']])
