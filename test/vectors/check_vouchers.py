#!/usr/bin/env python3
"""Reads signed checkpoints, proofs and policies with nothing but docs/spec/vouchers.md and Python's own library.

It shares no code with the product. With --each it reads one JSON object a line, {"proof": base64, "policy": base64},
and answers each with a line: {"error": true}, or what the policy says of the proof. ML-DSA-44 is written from FIPS 204.
"""
import base64
import hashlib
import json
import re
import struct
import sys

LATEST = 8640000000000
SAFE = 2 ** 53 - 1


class Malformed(Exception):
    pass


def need(condition, sentence='malformed'):
    if not condition:
        raise Malformed(sentence)


def sha(data):
    return hashlib.sha256(data).digest()


def parse_base64(text):
    """Padded, and with no second spelling."""
    need(re.fullmatch(r'[A-Za-z0-9+/]*={0,2}', text, re.ASCII) and len(text) % 4 == 0, 'base64')
    data = base64.b64decode(text)
    need(base64.b64encode(data).decode() == text, 'base64')
    return data


# --- Ed25519, RFC 8032

P = 2 ** 255 - 19
L = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(n, point):
    result = NEUTRAL
    while n:
        if n & 1:
            result = add(result, point)
        point, n = add(point, point), n >> 1
    return result


def is_same(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def find_x(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * ROOT % P
    if x * x % P != square or (x == 0 and sign):
        return None
    return x if x & 1 == sign else P - x


def to_point(data):
    """Canonical, on the curve; None otherwise."""
    whole = int.from_bytes(data, 'little')
    y, sign = whole & (2 ** 255 - 1), whole >> 255
    x = find_x(y, sign) if len(data) == 32 and y < P else None
    return None if x is None else (x, y, 1, x * y % P)


def to_bytes(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, 'little')


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = to_point(BASE_Y.to_bytes(32, 'little'))


def is_small(point):
    return is_same(times(8, point), NEUTRAL)


def is_public_key(data):
    point = to_point(data)
    return point is not None and not is_small(point) and is_same(times(L, point), NEUTRAL)


def challenge(r, key, message):
    return int.from_bytes(hashlib.sha512(r + key + message).digest(), 'little') % L


def verify_ed25519(key, message, signature):
    point, r = to_point(key), to_point(signature[:32])
    s = int.from_bytes(signature[32:], 'little')
    if len(signature) != 64 or point is None or r is None or is_small(r) or s >= L:
        return False
    k = challenge(signature[:32], key, message)
    return is_same(times(s, BASE), add(r, times(k, point)))


def split_seed(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], 'little') & (2 ** 254 - 8) | 2 ** 254
    return scalar, digest[32:]


def public_key(seed):
    return to_bytes(times(split_seed(seed)[0], BASE))


def sign_ed25519(seed, message):
    scalar, prefix = split_seed(seed)
    nonce = int.from_bytes(hashlib.sha512(prefix + message).digest(), 'little') % L
    r = to_bytes(times(nonce, BASE))
    s = (nonce + challenge(r, public_key(seed), message) * scalar) % L
    return r + s.to_bytes(32, 'little')


# --- ML-DSA-44, FIPS 204: verification alone

Q, D_BITS, GAMMA1, GAMMA2, BETA, TAU, OMEGA = 8380417, 13, 2 ** 17, (8380417 - 1) // 88, 78, 39, 80
ZETAS = [pow(1753, int(f'{at:08b}'[::-1], 2), Q) for at in range(256)]


def ntt(w):
    w, at, size = list(w), 0, 128
    while size >= 1:
        for start in range(0, 256, 2 * size):
            at += 1
            for j in range(start, start + size):
                t = ZETAS[at] * w[j + size] % Q
                w[j], w[j + size] = (w[j] + t) % Q, (w[j] - t) % Q
        size //= 2
    return w


def inverse_ntt(w):
    w, at, size = list(w), 256, 1
    while size < 256:
        for start in range(0, 256, 2 * size):
            at -= 1
            for j in range(start, start + size):
                t = w[j]
                w[j] = (t + w[j + size]) % Q
                w[j + size] = -ZETAS[at] * (t - w[j + size]) % Q
        size *= 2
    return [value * 8347681 % Q for value in w]


def unpack(data, bits):
    whole = int.from_bytes(data, 'little')
    return [whole >> bits * at & (1 << bits) - 1 for at in range(256)]


def expand(rho, s, r):
    """One polynomial of the matrix A, in the domain of the transform."""
    stream, values, at = hashlib.shake_128(rho + bytes([s, r])).digest(3 * 600), [], 0
    while len(values) < 256:
        value = int.from_bytes(stream[at:at + 3], 'little') & 0x7fffff
        at += 3
        if value < Q:
            values.append(value)
    return values


def sample_in_ball(seed):
    stream, at, ball = hashlib.shake_256(seed).digest(8 + 1000), 8, [0] * 256
    signs = int.from_bytes(stream[:8], 'little')
    for i in range(256 - TAU, 256):
        while stream[at] > i:
            at += 1
        j = stream[at]
        at += 1
        ball[i] = ball[j]
        ball[j] = 1 - 2 * (signs >> i + TAU - 256 & 1)
    return ball


def unpack_hints(data):
    hints, first = [], 0
    for row in range(4):
        end = data[OMEGA + row]
        if end < first or end > OMEGA:
            return None
        places = list(data[first:end])
        if places != sorted(set(places)):
            return None
        hints.append(set(places))
        first = end
    return None if any(data[first:OMEGA]) else hints


def use_hint(value, is_hint):
    low = value % (2 * GAMMA2)
    if low > GAMMA2:
        low -= 2 * GAMMA2
    high = 0 if value - low == Q - 1 else (value - low) // (2 * GAMMA2)
    if value - low == Q - 1:
        low -= 1
    if not is_hint:
        return high
    return (high + 1) % 44 if low > 0 else (high - 1) % 44


def verify_ml_dsa(key, message, signature):
    if len(key) != 1312 or len(signature) != 2420:
        return False
    rho, t1 = key[:32], [unpack(key[32 + 320 * at:352 + 320 * at], 10) for at in range(4)]
    c, packed, hints = signature[:32], signature[32:2336], unpack_hints(signature[2336:])
    z = [[GAMMA1 - value for value in unpack(packed[576 * at:576 * at + 576], 18)] for at in range(4)]
    if hints is None or max(abs(value) for row in z for value in row) >= GAMMA1 - BETA:
        return False
    mu = hashlib.shake_256(hashlib.shake_256(key).digest(64) + b'\0\0' + message).digest(64)
    ball, transformed = ntt(sample_in_ball(c)), [ntt(row) for row in z]
    encoded = b''
    for row in range(4):
        scaled = ntt([value << D_BITS for value in t1[row]])
        matrix = [expand(rho, column, row) for column in range(4)]
        sums = [sum(matrix[column][j] * transformed[column][j] for column in range(4)) - ball[j] * scaled[j]
                for j in range(256)]
        high = [use_hint(value, j in hints[row]) for j, value in enumerate(inverse_ntt([s % Q for s in sums]))]
        encoded += sum(value << 6 * j for j, value in enumerate(high)).to_bytes(192, 'little')
    return hashlib.shake_256(mu + encoded).digest(32) == c


# --- sections 2 and 3: keys, notes, cosignatures

KEY_BYTES = {1: 32, 4: 32, 6: 1312}


def is_name(name):
    return 1 <= len(name) <= 255 and not re.search(r'[\s+\x00-\x1f\x7f-\x9f\ufeff]', name)


def key_id(name, kind, public):
    return sha(name.encode() + b'\n' + bytes([kind]) + public)[:4]


def write_key(name, kind, public):
    typed = base64.b64encode(bytes([kind]) + public).decode()
    return f'{name}+{key_id(name, kind, public).hex()}+{typed}'


def parse_key(text):
    parts = text.split('+', 2)
    need(len(parts) == 3 and is_name(parts[0]), 'verifier key')
    typed = parse_base64(parts[2])
    kind, public = typed[:1], typed[1:]
    need(kind and KEY_BYTES.get(kind[0]) == len(public), 'type of the key')
    need(kind[0] == 6 or is_public_key(public), 'point')
    need(parts[1] == key_id(parts[0], kind[0], public).hex(), 'key id')
    return parts[0], kind[0], public


def parse_note(data):
    """The text, and (name, key id, signature) of each line."""
    need(len(data) <= 262144, 'large')
    try:
        whole = data.decode('utf-8', 'strict')
    except UnicodeDecodeError:
        raise Malformed('UTF-8') from None
    need(not re.search(r'[\x00-\x09\x0b-\x1f]', whole), 'control characters')
    at = whole.rfind('\n\n')
    need(at >= 0 and whole.endswith('\n'), 'no signatures')
    lines = whole[at + 2:-1].split('\n')
    need(len(lines) <= 72, 'many signatures')
    return whole[:at + 1], [parse_line(line) for line in lines]


def parse_line(line):
    parts = line.split(' ')
    need(len(parts) == 3 and parts[0] == '\u2014' and is_name(parts[1]), 'signature line')
    data = parse_base64(parts[2])
    need(len(data) >= 5, 'short signature')
    return parts[1], data[:4], data[4:]


def parse_size(text):
    need(re.fullmatch('0|[1-9][0-9]{0,15}', text, re.ASCII) and int(text) <= SAFE, 'size')
    return int(text)


def parse_checkpoint(text):
    need(text.endswith('\n'), 'checkpoint')
    lines = text[:-1].split('\n')
    need(len(lines) >= 3 and all(lines), 'checkpoint')
    root = parse_base64(lines[2])
    need(len(root) == 32, 'root')
    return lines[0], parse_size(lines[1]), root


def message_of(text, name, kind, time):
    if kind == 4:
        return f'cosignature/v1\ntime {time}\n{text}'.encode()
    origin, size, root = parse_checkpoint(text)
    names = [name.encode(), origin.encode()]
    need(all(1 <= len(part) <= 255 for part in names), 'name')
    return (b'subtree/v1\n\0' + bytes([len(names[0])]) + names[0] + struct.pack('>Q', time)
            + bytes([len(names[1])]) + names[1] + struct.pack('>QQ', 0, size) + root)


def read_signature(text, key, signature):
    """The time, 0 where there is none; None for a wrong signature."""
    name, kind, public = key
    if kind == 1:
        return 0 if verify_ed25519(public, text.encode(), signature) else None
    if len(signature) != 8 + (64 if kind == 4 else 2420):
        return None
    time = struct.unpack('>Q', signature[:8])[0]
    if time > LATEST:
        return None
    verify = verify_ed25519 if kind == 4 else verify_ml_dsa
    try:
        return time if verify(public, message_of(text, name, kind, time), signature[8:]) else None
    except Malformed:
        return None


def check_key(note, key):
    """ABSENT, WRONG, or VALID with the earliest time."""
    text, lines = note
    own = [line[2] for line in lines if line[:2] == (key[0], key_id(*key))]
    read = [read_signature(text, key, signature) for signature in own]
    if not own:
        return 'ABSENT', None
    if None in read:
        return 'WRONG', None
    return 'VALID', min((time for time in read if time > 0), default=None)


def cosign(text, name, seed, time):
    public = public_key(seed)
    signature = sign_ed25519(seed, message_of(text, name, 4, time))
    return signature_line(name, key_id(name, 4, public), struct.pack('>Q', time) + signature)


def signature_line(name, identity, signature):
    return f'\u2014 {name} {base64.b64encode(identity + signature).decode()}\n'


# --- section 4: proofs

def hash_leaf(entry):
    return sha(b'\0' + entry)


def hash_node(left, right):
    return sha(b'\1' + left + right)


def parse_proof(data):
    need(len(data) <= 262144 + 131072, 'large')
    end = data.find(b'\n\n')
    need(end >= 0, 'no checkpoint')
    try:
        lines = data[:end].decode('utf-8', 'strict').split('\n')
    except UnicodeDecodeError:
        raise Malformed('UTF-8') from None
    need(lines.pop(0) == 'c2sp.org/tlog-proof@v1', 'first line')
    extra = None
    if lines and lines[0].startswith('extra '):
        extra = parse_base64(lines.pop(0)[6:])
        need(1 <= len(extra) <= 65536, 'extra')
    need(lines and lines[0].startswith('index '), 'index')
    index = parse_size(lines.pop(0)[6:])
    need(len(lines) <= 63, 'path')
    path = [parse_base64(line) for line in lines]
    need(all(len(node) == 32 for node in path), 'path')
    note = parse_note(data[end + 2:])
    return extra, index, path, note, parse_checkpoint(note[0])


def root_of(leaf, index, size, path):
    """None where the path cannot be of this leaf."""
    if index >= size:
        return None
    rest, node, last = list(path), leaf, size - 1
    while last > 0:
        if index % 2 == 1 or index < last:
            if not rest:
                return None
            sibling = rest.pop(0)
            node = hash_node(sibling, node) if index % 2 == 1 else hash_node(node, sibling)
        index, last = index // 2, last // 2
    return None if rest else node


# --- section 5: policies

def parse_policy(data):
    need(len(data) <= 1048576 and (data == b'' or data.endswith(b'\n')), 'end')
    logs, witnesses, members, grouped, quorum = [], [], {}, set(), []
    for line in data.split(b'\n'):
        need(not re.search(rb'[^\t\x20-\x7e\x80-\xff]', line), 'control character')
        items = [item for item in re.split(rb'[ \t]+', line) if item]
        if not items or items[0].startswith(b'#'):
            continue
        read_policy_line(items[0], items[1:], logs, witnesses, members, grouped, quorum)
    need(len(quorum) == 1, 'quorum')
    return logs, witnesses, members, quorum[0]


def read_policy_line(word, items, logs, witnesses, members, grouped, quorum):
    if word == b'log':
        need(1 <= len(items) <= 2, 'log')
        add_key(logs, items[0], (1, 6))
    elif word == b'witness':
        need(2 <= len(items) <= 3, 'witness')
        define(members, items[0], add_key(witnesses, items[1], (4, 6)))
    elif word == b'group':
        need(len(items) >= 3 and sum(isinstance(one[0], int) for one in members.values()) < 64, 'group')
        for name in items[2:]:
            need(name in members and name not in grouped, 'member')
            grouped.add(name)
        define(members, items[0], (threshold(items[1], len(items) - 2), items[2:]))
    else:
        need(word == b'quorum' and len(items) == 1 and (items[0] == b'none' or items[0] in members), 'quorum')
        quorum.append(items[0])


def add_key(keys, text, kinds):
    try:
        key = parse_key(text.decode('utf-8', 'strict'))
    except UnicodeDecodeError:
        raise Malformed('key') from None
    need(key[1] in kinds and len(keys) < 64 and all(key[2] != other[2] for other in keys), 'key')
    keys.append(key)
    return key


def define(members, name, member):
    need(name != b'none' and name not in members, 'name')
    members[name] = member


def threshold(text, count):
    if text in (b'all', b'any'):
        return count if text == b'all' else 1
    need(re.fullmatch(rb'[1-9][0-9]{0,3}', text) and int(text) <= count, 'threshold')
    return int(text)


def time_of(name, members, verdicts):
    """None where it is not reached, infinity where it states no time."""
    member = members[name]
    if not isinstance(member[0], int):
        state, time = verdicts[member]
        return None if state != 'VALID' else float('inf') if time is None else time
    reached = sorted(time for time in (time_of(one, members, verdicts) for one in member[1]) if time is not None)
    return reached[member[0] - 1] if len(reached) >= member[0] else None


def apply_policy(note, policy):
    logs, witnesses, members, quorum = policy
    origin = parse_checkpoint(note[0])[0]
    of_logs = [check_key(note, key)[0] for key in logs if key[0] == origin]
    verdicts = {key: check_key(note, key) for key in witnesses}
    time = float('inf') if quorum == b'none' else time_of(quorum, members, verdicts)
    return {
        'isSignedByLog': 'VALID' in of_logs,
        'isContradicted': 'WRONG' in of_logs + [state for state, _ in verdicts.values()],
        'isReached': time is not None,
        'time': None if time in (None, float('inf')) else time,
    }


def answer(given):
    try:
        extra, index, path, note, (_, size, root) = parse_proof(base64.b64decode(given['proof']))
        is_included = extra is not None and root_of(hash_leaf(extra), index, size, path) == root
        policy = parse_policy(base64.b64decode(given['policy']))
        return {**apply_policy(note, policy), 'isIncluded': is_included}
    except Malformed:
        return {'error': True}


def main():
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == '__main__':
    main()
