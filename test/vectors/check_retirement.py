#!/usr/bin/env python3
"""Checks certificates of key retirement with nothing but docs/spec/key-retirement.md and Python's own library.

It shares no code with the product. Usage: check_retirement.py CERTIFICATE.json [ITEMS.ndjson] [TRUSTED_KEY.json]
With --each it reads one JSON object a line (document, and optionally items and trustedKey, all in base64) and answers
each with a line: the outcome, and a code for every check.
"""
import base64
import json
import re
import sys
from collections import Counter

from check_proof import (
    DIGEST, HEADER, HEX, ID, KEY_MEMBERS, KEY_PERIOD, NAME, SKEW, Found, base64url, canonical, digest, flag, instant,
    integer, is_safe_signature, is_signed, listed, millis, need, one_of, parse_json, record, text, to_key)

COUNTS = {'SUCCEEDED': 'succeeded', 'SKIPPED_ALREADY_TARGET': 'alreadyTarget', 'SKIPPED_REVOKED': 'revoked',
          'SKIPPED_SOURCE_CHANGED': 'sourceChanged'}
MOVED = ('SUCCEEDED', 'SKIPPED_ALREADY_TARGET')
KEY = {'provider': text('[a-z0-9][a-z0-9-]{0,63}'), 'contract': integer(1),
       'keyVersion': text('[A-Za-z0-9._:-]{1,128}')}
CERTIFICATE = {
    'schema': one_of('recordproof.key-retirement-certificate.v1'), 'tenantId': ID, 'issuedAt': instant,
    'policy': record({'version': integer(1), 'logicalKeyVersion': integer(1), **KEY}),
    'run': record({'runId': ID, 'requestId': text('[A-Za-z0-9_-]{1,64}'), 'createdAt': instant, 'startedAt': instant,
                   'completedAt': instant}),
    'counts': record({name: integer(0) for name in ('total', *COUNTS.values())}),
    'keys': listed(record({**KEY, 'before': integer(0), 'after': integer(0)}), 0, 1000),
    'items': record({'bytes': integer(0), 'digest': DIGEST}), 'oldKeyInUse': flag,
    'audit': record({'position': integer(0), 'hash': HEX}),
    'signature': record({'keyId': NAME, 'keyVersion': integer(1), 'publicKeyFingerprint': DIGEST})}
DOCUMENT = record({'certificate': record(CERTIFICATE), 'jws': text(r'[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){2}')})
ITEM = {'itemId': ID, 'recordId': HEX, 'recipientType': one_of('OWNER', 'SHARE', 'FRIEND_SHARE'), 'endedAt': instant,
        'before': record(KEY), 'outcome': one_of(*COUNTS)}
FAIL = 'JSON_|FIGURES_|JWS_|KEY_|SIGNATURE_|ITEMS_DIGEST_|ITEM_|ITEMS_FIGURES_'.split('|')
ERROR = ('CERTIFICATE_UNREADABLE', 'TRUSTED_KEY_UNREADABLE', 'TRUSTED_KEY_INVALID', 'ITEMS_UNREADABLE')


def name_of(key):
    return key['provider'], key['contract'], key['keyVersion']


def read_document(data):
    need(data is not None, 'CERTIFICATE_UNREADABLE')
    value = parse_json(data, 512 * 1024, 5)
    need(DOCUMENT(value), 'JSON_SHAPE')
    need(canonical(value) + b'\n' == data, 'JSON_NOT_CANONICAL')
    return value


def check_figures(certificate):
    counts, keys = certificate['counts'], certificate['keys']
    names = [name_of(key) for key in keys]
    fits = (sum(counts[name] for name in COUNTS.values()) == counts['total']
            and sum(key['before'] for key in keys) == counts['total']
            and sum(key['after'] for key in keys) == counts['succeeded'] + counts['alreadyTarget']
            and all(name_of(key) == name_of(certificate['policy']) for key in keys if key['after'] > 0)
            and all(one < two for one, two in zip(names, names[1:]))
            and all(key['before'] + key['after'] > 0 for key in keys))
    need(fits, 'FIGURES_CONTRADICT')


def read_jws(jws):
    try:
        header_bytes, payload, signature = map(base64url, jws.split('.'))
        header = parse_json(header_bytes, 1024, 4)
        need(HEADER(header), 'MALFORMED')
    except Found:
        raise Found('JWS_MALFORMED') from None
    return header, canonical(header) == header_bytes, payload, signature


def check_signature(document, trusted_key):
    certificate = document['certificate']
    named = certificate['signature']
    header, is_spelled, payload, signature = read_jws(document['jws'])
    need(payload == canonical(certificate), 'JWS_PAYLOAD_MISMATCH')
    wanted = {'alg': 'EdDSA', 'keyVersion': named['keyVersion'], 'kid': named['keyId'], 'typ': 'JOSE'}
    need(header == wanted and is_spelled and is_safe_signature(signature), 'JWS_CONTRACT')
    need(trusted_key is not None, 'TRUSTED_KEY_MISSING')
    need(trusted_key is not UNREADABLE, 'TRUSTED_KEY_UNREADABLE')
    try:
        members = parse_json(trusted_key, 262144)
        need(record(KEY_MEMBERS, KEY_PERIOD)(members), 'MALFORMED')
        key = to_key(members)
    except Found:
        raise Found('TRUSTED_KEY_INVALID') from None
    need((key['keyId'], key['keyVersion']) == (named['keyId'], named['keyVersion']), 'TRUSTED_KEY_OTHER')
    need(key['publicKeyFingerprint'] == named['publicKeyFingerprint'], 'KEY_FINGERPRINT_MISMATCH')
    until = key.get('usedUntil') if 'usedFrom' in key else None
    need(until is None or millis(certificate['issuedAt']) <= millis(until) + SKEW, 'KEY_NOT_IN_USE')
    signed = document['jws'].rpartition('.')[0].encode()
    need(is_signed(key['raw'], signed, signature), 'SIGNATURE_INVALID')


def check_items_digest(certificate, items):
    need(items is not UNREADABLE, 'ITEMS_UNREADABLE')
    fits = len(items) == certificate['items']['bytes'] and digest(items) == certificate['items']['digest']
    need(fits, 'ITEMS_DIGEST_MISMATCH')


def read_item(line):
    try:
        need(len(line) <= 4096 and line.endswith(b'\n'), 'MALFORMED')
        item = parse_json(line[:-1])
        moved = isinstance(item, dict) and item.get('outcome') in MOVED
        need(record({**ITEM, **({'after': record(KEY)} if moved else {})})(item), 'MALFORMED')
        need(canonical(item) + b'\n' == line, 'MALFORMED')
    except Found:
        raise Found('ITEM_MALFORMED') from None
    return item


def check_items_figures(certificate, items):
    counts, before, after = Counter(), Counter(), Counter()
    for line in re.findall(rb'[^\n]*\n|[^\n]+', items):
        item = read_item(line)
        counts['total'] += 1
        counts[COUNTS[item['outcome']]] += 1
        before[name_of(item['before'])] += 1
        if 'after' in item:
            after[name_of(item['after'])] += 1
    names = sorted(set(before) | set(after))
    fits = (all(counts[name] == count for name, count in certificate['counts'].items())
            and [(name, before[name], after[name]) for name in names]
            == [(name_of(key), key['before'], key['after']) for key in certificate['keys']])
    need(fits, 'ITEMS_FIGURES_MISMATCH')


UNREADABLE = object()


def status(code):
    if code == 'OK':
        return 'VALID'
    if code in ERROR:
        return 'ERROR'
    return 'INVALID' if any(map(code.startswith, FAIL)) else 'INDETERMINATE'


def check(document, items=None, trusted_key=None):
    codes = {}

    def run(name, work):
        try:
            found, codes[name] = work(), 'OK'
            return found
        except Found as error:
            codes[name] = error.code

    read = run('certificate.readable', lambda: read_document(document))
    if read is not None:
        certificate = read['certificate']
        run('certificate.figures', lambda: check_figures(certificate))
        run('certificate.signature', lambda: check_signature(read, trusted_key))
        if items is not None:
            run('items.digest', lambda: check_items_digest(certificate, items))
            if codes['items.digest'] == 'OK':
                run('items.figures', lambda: check_items_figures(certificate, items))
    found = {status(code) for code in codes.values()}
    return {'outcome': next(one for one in ('INVALID', 'ERROR', 'INDETERMINATE', 'VALID') if one in found),
            'codes': codes}


def read_file(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except OSError:
        return UNREADABLE


if __name__ == '__main__':
    if sys.argv[1:] == ['--each']:
        for line in sys.stdin:
            given = {name: base64.b64decode(value) for name, value in json.loads(line).items()}
            print(json.dumps(check(given['document'], given.get('items'), given.get('trustedKey'))), flush=True)
    else:
        given = [read_file(path) for path in sys.argv[1:]]
        answer = check(None if given[0] is UNREADABLE else given[0], *given[1:])
        print(json.dumps(answer, indent=1))
        sys.exit({'VALID': 0, 'INVALID': 2, 'INDETERMINATE': 3, 'ERROR': 4}[answer['outcome']])
