#!/usr/bin/env python3
"""Checks a proof archive against its original file with nothing but docs/spec, Python and the openssl command.

It shares no code with the product: when both agree on every vector, the specification says enough.
Usage: check_proof.py ORIGINAL ARCHIVE.zip TRUSTED_KEY.json
Exit 0: everything that can be checked offline agrees. Exit 1: something does not, said in one line.
With --each it reads such triples from standard input, separated by tabs, and answers each with a line.
"""
import base64
import datetime
import hashlib
import json
import re
import struct
import subprocess
import sys
import tempfile
import zlib

NAMES = ['manifest.json', 'file.hash', 'chunk-manifest.json', 'merkle-proof.json', 'blockchain-receipt.json',
         'issuer-signature.jws', 'verification-policy.json', 'README.verify.md']
MEDIA = {'file.hash': 'text/plain', 'README.verify.md': 'text/markdown'}
FRAMES = {'framePlainSize': 1048576, 'headerSize': 48, 'tagSize': 16}
POLICY = 'sha256:71a3d85c380673e35ac75f6e67d7293fd582271d0d431d8a2c6d8dbd19fe6836'
README = 'sha256:f80b489af947c4fdf0cdb1c73fe98bffe8464fcedf54810040450ee3f68a7102'
GCM = 'RP-AES256-GCM-CHUNK-CHAIN-V1'


class Refused(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Refused(what)


def sha(data):
    return hashlib.sha256(data).digest()


def digest(data):
    return 'sha256:' + sha(data).hex()


def read_zip(data):
    """proof-archive.md section 2: read from byte 0, then write the archive again and compare."""
    entries, at = {}, 0
    for name in NAMES:
        need(data[at:at + 4] == b'PK\x03\x04' and len(data) >= at + 30, 'ZIP: no local header for ' + name)
        size = struct.unpack('<I', data[at + 18:at + 22])[0]
        start = at + 30 + len(name)
        entries[name] = data[start:start + size]
        at = start + size
    need(data == write_zip(entries), 'ZIP: not the bytes that these entries make')
    return entries


def write_zip(entries):
    body, directory = b'', b''
    for name in NAMES:
        content = entries[name]
        shared = struct.pack('<HHHHHIIIHH', 20, 0x0800, 0, 0, 0x0022, zlib.crc32(content), len(content), len(content),
                             len(name), 0)
        directory += struct.pack('<IH', 0x02014b50, 0x033f) + shared
        directory += struct.pack('<HHHII', 0, 0, 0, 0x81a40000, len(body)) + name.encode()
        body += struct.pack('<I', 0x04034b50) + shared + name.encode() + content
    end = struct.pack('<IHHHHIIH', 0x06054b50, 0, 0, 8, 8, len(directory), len(body), 0)
    return body + directory + end


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False).encode()


def read_json(data, what):
    def unique(pairs):
        need(len({key for key, _ in pairs}) == len(pairs), what + ': a field stands twice')
        return dict(pairs)
    try:
        value = json.loads(data.decode('utf-8', 'strict'), object_pairs_hook=unique)
    except (ValueError, RecursionError):
        raise Refused(what + ': not JSON') from None
    try:
        need(canonical(value) == data, what + ': not canonical')
    except UnicodeEncodeError:
        raise Refused(what + ': half a character') from None
    return value


def check_fields(value, what, fields, optional=()):
    need(isinstance(value, dict), what + ': not an object')
    names = set(value)
    need(set(fields.split()) <= names <= set(fields.split()) | set(optional), what + ': other fields than required')


def check_shapes(manifest, chunks, merkle, receipt):
    check_fields(manifest, 'manifest', 'schemaVersion proofId fileId fileVersion leafId batchNo issuedAt issuedStatus '
                 'statusLocation signature entries')
    check_fields(manifest['signature'], 'signature', 'algorithm keyId keyVersion publicKeyFingerprint '
                 'verificationKeyLocation')
    check_fields(chunks, 'chunks', 'schemaVersion fileId fileVersion contentHash chainRecordId manifestHash '
                 'sourceSchema hashAlgorithm chunkSize chunkCount totalSize encryptionAlgorithm storageBackend chunks')
    for chunk in chunks['chunks']:
        check_fields(chunk, 'chunk', 'index plainHash cipherHash size objectPath checksumAlgorithm')
        check_numbers(chunk, 'index', 'size')
    check_fields(merkle, 'merkle', 'schemaVersion evidenceType evidenceHash proofAlgorithm merkleRoot leafHash '
                 'leafIndex treeSize proofPath')
    for step in merkle['proofPath']:
        check_fields(step, 'step', 'position hash')
    check_fields(receipt, 'receipt', 'schemaVersion chainRecordId batchChainRoot batchNo blockNumber '
                 'confirmationSource contract', ['fileTransactionHash', 'batchTransactionHash'])
    check_fields(receipt['contract'], 'contract', 'chainType chainId groupId contractAddress', ['ledgerKey'])
    check_numbers(manifest, 'fileVersion')
    check_numbers(chunks, 'fileVersion', 'chunkSize', 'chunkCount', 'totalSize')
    check_numbers(merkle, 'leafIndex', 'treeSize')
    check_numbers(receipt, 'blockNumber')
    for name in ('fileTransactionHash', 'batchTransactionHash'):
        need(re.fullmatch(r'0x[0-9a-f]{64}', receipt.get(name, '0x' + '0' * 64)), name)


def check_numbers(record, *names):
    for name in names:
        need(type(record[name]) is int and 0 <= record[name] < 2 ** 53, name + ' is not a whole number')


def check_manifest(manifest, entries):
    signature = manifest['signature']
    need(re.fullmatch(r'rp-proof-[0-9a-f]{64}', manifest['proofId']), 'proofId')
    issued = datetime.datetime.strptime(manifest['issuedAt'], '%Y-%m-%dT%H:%M:%S.%fZ')
    need(issued.isoformat(timespec='milliseconds') + 'Z' == manifest['issuedAt'], 'issuedAt')
    need(manifest['schemaVersion'] == 'service-proof-manifest.v2', 'manifest schema')
    need(manifest['issuedStatus'] == 'ACTIVE' and signature['algorithm'] == 'EdDSA', 'issued status or algorithm')
    need(manifest['statusLocation'] == '/api/v1/public/proofs/%s/status' % manifest['proofId'], 'status location')
    need(signature['verificationKeyLocation'] == '/api/v1/public/proof-keys/%s/versions/%d'
         % (signature['keyId'], signature['keyVersion']), 'key location')
    listed = [name for name in NAMES if name not in ('manifest.json', 'issuer-signature.jws')]
    need(manifest['entries'] == [
        {'name': name, 'mediaType': MEDIA.get(name, 'application/json'), 'sha256': digest(entries[name]),
         'size': len(entries[name]), 'required': True, 'present': True} for name in listed], 'the list of entries')


def stored_size(algorithm, plain):
    if algorithm == 'NONE':
        return plain
    frames = max(1, -(-plain // FRAMES['framePlainSize']))
    return FRAMES['headerSize'] + plain + FRAMES['tagSize'] * frames


def check_chunks(chunks, manifest):
    """proof-archive.md section 4: write the source manifest again and hash it."""
    need(chunks['schemaVersion'] == 'service-proof-chunk-manifest.v1', 'chunks schema')
    need(chunks['sourceSchema'] == 'recordproof.chunk-manifest.v1', 'source schema')
    need(chunks['hashAlgorithm'] == 'SHA-256', 'hash algorithm')
    need(chunks['encryptionAlgorithm'] in ('NONE', GCM), 'encryption algorithm')
    need((chunks['fileId'], chunks['fileVersion']) == (manifest['fileId'], manifest['fileVersion']), 'another file')
    size, total, encryption = chunks['chunkSize'], chunks['totalSize'], chunks['encryptionAlgorithm']
    need(size > 0 and total > 0 and len(chunks['chunks']) == chunks['chunkCount'] == -(-total // size), 'chunk count')
    rebuilt = []
    for index, chunk in enumerate(chunks['chunks']):
        plain = min(size, total - index * size)
        need((chunk['index'], chunk['size'], chunk['checksumAlgorithm']) == (index, plain, 'SHA-256'), 'chunk plan')
        need(encryption != 'NONE' or chunk['plainHash'] == chunk['cipherHash'], 'two hashes for plain bytes')
        stored = stored_size(encryption, plain)
        entry = {'index': index, 'plainHash': chunk['plainHash'], 'cipherHash': chunk['cipherHash'], 'size': stored,
                 'storagePath': chunk['objectPath'], 'storageBackend': chunks['storageBackend'],
                 'checksumAlgorithm': 'SHA-256'}
        rebuilt.append(entry if stored == plain else {**entry, 'plainSize': plain})
    source = {'schema': chunks['sourceSchema'], 'fileHash': chunks['chainRecordId'], 'hashAlgorithm': 'SHA-256',
              'chunkSize': size, 'totalSize': total, 'storageBackend': chunks['storageBackend'],
              'encryptionAlgorithm': encryption, 'chunks': rebuilt}
    if encryption == GCM:
        source['encryption'] = FRAMES
    need(digest(canonical(source)) == chunks['manifestHash'], 'the chunks are not those of the anchored manifest')


def check_content(path, chunks, file_hash):
    whole, size = hashlib.sha256(), 0
    with open(path, 'rb') as original:
        for chunk in chunks['chunks']:
            piece = original.read(chunk['size'])
            whole.update(piece)
            size += len(piece)
            need(digest(piece) == chunk['plainHash'], 'chunk %d differs' % chunk['index'])
        need(original.read(1) == b'', 'the file is longer than recorded')
    content_hash = 'sha256:' + whole.hexdigest()
    need(size == chunks['totalSize'] and content_hash == chunks['contentHash'], 'the file is another one')
    need(file_hash == (content_hash + '\n').encode(), 'file.hash')


def check_merkle(merkle, chunks):
    need(merkle['schemaVersion'] == 'service-proof-merkle.v1', 'merkle schema')
    need((merkle['evidenceType'], merkle['proofAlgorithm']) == ('MANIFEST_HASH', 'RP-MERKLE-SHA256-V1'), 'merkle suite')
    need(merkle['evidenceHash'] == chunks['manifestHash'], 'the path is about another manifest')
    node = sha(b'\0' + bytes.fromhex(merkle['evidenceHash'][7:]))
    need(node.hex() == merkle['leafHash'], 'leaf')
    index, count, steps = merkle['leafIndex'], merkle['treeSize'], list(merkle['proofPath'])
    need(index < count, 'leaf index')
    while count > 1:
        if index % 2 == 1 or index + 1 < count:
            need(steps, 'the path is too short')
            step = steps.pop(0)
            need(step['position'] == ('LEFT' if index % 2 == 1 else 'RIGHT'), 'a side of the path')
            sibling = bytes.fromhex(step['hash'])
            need(len(sibling) == 32, 'a hash of the path')
            node = sha(b'\1' + sibling + node) if index % 2 == 1 else sha(b'\1' + node + sibling)
        index, count = index // 2, (count + 1) // 2
    need(not steps, 'the path is too long')
    need(node.hex() == merkle['merkleRoot'], 'the path does not lead to the root')


def check_receipt(receipt, manifest, chunks, merkle):
    need(receipt['schemaVersion'] == 'service-proof-blockchain-receipt.v1', 'receipt schema')
    need(receipt['chainRecordId'] == chunks['chainRecordId'], 'receipt of another record')
    need(receipt['batchNo'] == manifest['batchNo'], 'receipt of another batch')
    need(receipt['batchChainRoot'] == merkle['merkleRoot'], 'receipt of another root')
    contract = receipt['contract']
    if 'ledgerKey' not in contract:
        return
    name, key_id, encoded = (contract['ledgerKey'].split('+', 2) + ['', ''])[:3]
    typed = base64.b64decode(encoded, validate=True)
    need(typed[:1] == b'\1' and len(typed) == 33, 'ledger key')
    need(sha(name.encode() + b'\n' + typed)[:4].hex() == key_id, 'ledger key id')
    identity = sha(typed[1:]).hex()
    need(contract['chainType'] == 'LOCAL_LEDGER' and contract['groupId'] == 'default', 'ledger type or group')
    need(contract['chainId'] == identity[:16] and contract['contractAddress'] == '0x' + identity[:40], 'ledger identity')


def unpadded(text):
    data = base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
    need(base64.urlsafe_b64encode(data).rstrip(b'=').decode() == text, 'base64url')
    return data


def check_signature(jws, manifest_bytes, manifest, key):
    text = jws.decode('ascii')
    need(re.fullmatch(r'[\w-]+\.[\w-]+\.[\w-]+\n', text, re.ASCII), 'not a compact JWS and a line feed')
    header, payload, signature = text[:-1].split('.')
    named = manifest['signature']
    need(read_json(unpadded(header), 'JWS header') == {'alg': 'EdDSA', 'keyVersion': named['keyVersion'],
                                                       'kid': named['keyId'], 'typ': 'JOSE'}, 'JWS header')
    need(unpadded(payload) == manifest_bytes, 'the signature is over other bytes')
    spki, raw = base64.b64decode(key['publicKeySpki'], validate=True), unpadded(signature)
    need(digest(spki) == key['publicKeyFingerprint'] == named['publicKeyFingerprint'], 'fingerprint')
    need((key['keyId'], key['keyVersion']) == (named['keyId'], named['keyVersion']), 'another key is named')
    need(spki[:12].hex() == '302a300506032b6570032100' and len(spki) == 44 and len(raw) == 64, 'Ed25519 sizes')
    check_point(spki[12:])
    check_point(raw[:32])
    need(int.from_bytes(raw[32:], 'little') < 2 ** 252 + 27742317777372353535851937790883648493, 'S is out of range')
    with tempfile.NamedTemporaryFile() as der, tempfile.NamedTemporaryFile() as message, \
            tempfile.NamedTemporaryFile() as sig:
        for file, data in ((der, spki), (message, (header + '.' + payload).encode()), (sig, raw)):
            file.write(data)
            file.flush()
        command = ['openssl', 'pkeyutl', '-verify', '-pubin', '-keyform', 'DER', '-inkey', der.name, '-rawin', '-in',
                   message.name, '-sigfile', sig.name]
        need(subprocess.run(command, capture_output=True, check=False).returncode == 0, 'the signature is wrong')


def check_point(encoded):
    y, prime = int.from_bytes(encoded, 'little') & (2 ** 255 - 1), 2 ** 255 - 19
    eighth = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826
    need(y < prime and y not in (0, 1, prime - 1, eighth, prime - eighth), 'an unsafe point')


def check(original, archive, trusted_key):
    with open(archive, 'rb') as file:
        entries = read_zip(file.read())
    with open(trusted_key, 'rb') as file:
        key = json.load(file)
    manifest, chunks, merkle, receipt = (read_json(entries[name], name) for name in (
        'manifest.json', 'chunk-manifest.json', 'merkle-proof.json', 'blockchain-receipt.json'))
    check_shapes(manifest, chunks, merkle, receipt)
    check_manifest(manifest, entries)
    need(digest(entries['verification-policy.json']) == POLICY, 'policy')
    need(digest(entries['README.verify.md']) == README, 'README')
    check_chunks(chunks, manifest)
    check_content(original, chunks, entries['file.hash'])
    check_merkle(merkle, chunks)
    check_receipt(receipt, manifest, chunks, merkle)
    check_signature(entries['issuer-signature.jws'], entries['manifest.json'], manifest, key)


def verdict(*paths):
    try:
        check(*paths)
    except Refused as refused:
        return 'refused: %s' % refused
    except (KeyError, TypeError, ValueError, AttributeError, OSError, struct.error) as problem:
        return 'refused: malformed (%s)' % type(problem).__name__
    return 'agrees'


if __name__ == '__main__':
    if sys.argv[1:] == ['--each']:
        for line in sys.stdin:
            print(verdict(*line.rstrip('\n').split('\t')))
    else:
        answer = verdict(*sys.argv[1:])
        print(answer)
        sys.exit(answer != 'agrees')
