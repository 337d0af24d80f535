#!/usr/bin/env python3
"""A witness, and a log that asks one, written from docs/spec/vouchers.md section 6 with Python's own library alone.

  witness.py serve NAME SEED LOG_KEY STATE [PORT]
                                                prints its verifier key and its address, then answers add-checkpoint
  witness.py grow ORIGIN SEED URL SIZE…         a log that grows to these sizes, one after the other; prints each
                                                checkpoint as base64, with the cosignatures that the witness answered
"""
import base64
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from check_vouchers import (Malformed, check_key, cosign, hash_leaf, hash_node, key_id, need, parse_base64,
                            parse_checkpoint, parse_key, parse_note, parse_size, public_key, sha, sign_ed25519,
                            signature_line, write_key)


# --- RFC 9162 sections 2.1.1 and 2.1.4

def root_over(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else sha(b'')
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return hash_node(root_over(leaves[:k]), root_over(leaves[k:]))


def prove(m, leaves, is_complete=True):
    """SUBPROOF(m, D_n, b)"""
    if m == len(leaves):
        return [] if is_complete else [root_over(leaves)]
    k = 1 << (len(leaves) - 1).bit_length() - 1
    if m <= k:
        return prove(m, leaves[:k], is_complete) + [root_over(leaves[k:])]
    return prove(m - k, leaves[k:], False) + [root_over(leaves[:k])]


def is_consistent(first, first_root, second, second_root, path):
    """RFC 9162 section 2.1.4.2"""
    if first == 0 or first == second:
        return not path and (first == 0 or first_root == second_root)
    if first & (first - 1) == 0:
        path = [first_root] + path
    if not path:
        return False
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for c in path[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = hash_node(c, fr), hash_node(c, sr)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = hash_node(sr, c)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr == first_root and sr == second_root


# --- the witness

class Witness:
    def __init__(self, name, seed, log, path):
        self.name, self.seed, self.log, self.path = name, seed, log, path
        self.lock = threading.Lock()
        self.size, self.root, self.time = 0, sha(b''), 0
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                self.size, root, self.time = json.load(file)
            self.root = bytes.fromhex(root)
            self.keep(self.size, self.root, self.time)

    def keep(self, size, root, moment):
        with open(self.path + '.new', 'w', encoding='utf-8') as file:
            json.dump([size, root.hex(), moment], file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(self.path + '.new', self.path)
        folder = os.open(os.path.dirname(os.path.abspath(self.path)), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        self.size, self.root, self.time = size, root, moment

    def answer(self, body):
        """Status and text."""
        try:
            old, proof, note, (origin, size, root) = parse_request(body)
        except Malformed as problem:
            return 400, f'{problem}\n'
        if origin != self.log[0]:
            return 404, 'origin\n'
        if check_key(note, self.log)[0] != 'VALID':
            return 403, 'signature\n'
        if old > size:
            return 400, 'old size\n'
        with self.lock:
            if old != self.size or (size == self.size and root != self.root):
                return 409, f'{self.size}\n'
            if not is_consistent(old, self.root, size, root, proof):
                return 422, 'proof\n'
            if time.time() < self.time - 60:
                return 503, 'clock\n'
            moment = max(int(time.time()), self.time)
            self.keep(size, root, moment)
        return 200, cosign(note[0], self.name, self.seed, moment)


def parse_request(body):
    need(len(body) <= 65536, 'large')
    head, split, rest = body.partition(b'\n\n')
    try:
        lines = head.decode('utf-8', 'strict').split('\n')
    except UnicodeDecodeError:
        raise Malformed('UTF-8') from None
    need(split and lines[0].startswith('old ') and len(lines) <= 64, 'head')
    proof = [parse_base64(line) for line in lines[1:]]
    need(all(len(node) == 32 for node in proof), 'hash')
    note = parse_note(rest)
    return parse_size(lines[0][4:]), proof, note, parse_checkpoint(note[0])


def serve(name, seed, log, path, port='0'):
    witness = Witness(name, bytes.fromhex(seed), parse_key(log), path)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'

        def do_POST(self):
            length = min(int(self.headers.get('content-length', 0)), 65537)
            status, text = witness.answer(self.rfile.read(length)) if self.path == '/add-checkpoint' else (404, '')
            self.send_response(status)
            self.send_header('content-type', 'text/x.tlog.size' if status == 409 else 'text/plain')
            self.send_header('content-length', str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(('127.0.0.1', int(port)), Handler)
    print(write_key(name, 4, public_key(witness.seed)))
    print(f'http://127.0.0.1:{server.server_port}', flush=True)
    server.serve_forever()


# --- the log

def checkpoint_of(origin, seed, leaves):
    root = base64.b64encode(root_over(leaves)).decode()
    text = f'{origin}\n{len(leaves)}\n{root}\n'
    signature = sign_ed25519(seed, text.encode())
    return f'{text}\n' + signature_line(origin, key_id(origin, 1, public_key(seed)), signature)


def grow(origin, seed, url, *sizes):
    seed, old = bytes.fromhex(seed), 0
    for size in map(int, sizes):
        leaves = [hash_leaf(f'entry {at}'.encode()) for at in range(size)]
        note = checkpoint_of(origin, seed, leaves)
        proof = prove(old, leaves) if 0 < old < size else []
        lines = [f'old {old}'] + [base64.b64encode(node).decode() for node in proof] + ['', note]
        request = urllib.request.Request(url + '/add-checkpoint', '\n'.join(lines).encode(), method='POST')
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                cosignatures = response.read().decode()
        except urllib.error.HTTPError as problem:
            sys.exit(f'{problem.code} {problem.read().decode()}')
        print(base64.b64encode((note + cosignatures).encode()).decode(), flush=True)
        old = size


if __name__ == '__main__':
    {'serve': serve, 'grow': grow}[sys.argv[1]](*sys.argv[2:])
