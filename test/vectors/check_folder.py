#!/usr/bin/env python3
"""Reads, makes and compares lists of sealed folders with nothing but docs/spec/folder-seal.md and Python's own library.

It shares no code with the product. The proof of the list is for check_proof.py.
Usage: check_folder.py read LIST | make DIR | compare LIST DIR
`read` prints OK or the code, `make` prints the list, `compare` a line "verdict path" for each file. With --each it reads one JSON
object a line ({"base64": the list}) and answers each with a line.
"""
import base64
import hashlib
import json
import os
import re
import stat
import sys
import unicodedata

SCHEMA = 'recordproof.folder.v1'
MOST = 2_000_000
SAFE = 2 ** 53 - 1


class Found(Exception):
    pass


def need(condition, code):
    if not condition:
        raise Found(code)


def canonical(value):
    return json.dumps(value, ensure_ascii=False, separators=(',', ':'), sort_keys=True)


def is_path(path):
    if any(unicodedata.category(letter) in ('Cc', 'Cs') for letter in path):
        return False
    if unicodedata.normalize('NFC', path) != path or len(path.encode()) > 4096:
        return False
    return all(part not in ('', '.', '..') for part in path.split('/'))


def is_entry(entry):
    return (isinstance(entry, dict) and sorted(entry) == ['path', 'sha256', 'size'] and isinstance(entry['path'], str)
            and isinstance(entry['sha256'], str) and re.fullmatch(r'sha256:[0-9a-f]{64}', entry['sha256']) is not None
            and type(entry['size']) is int and 0 <= entry['size'] <= SAFE)


def read(data):
    """The entries of a list, or Found with a code."""
    try:
        text = data.decode('utf-8')
    except UnicodeDecodeError:
        raise Found('LIST_NOT_UTF8') from None
    try:
        value = json.loads(text)
    except ValueError:
        raise Found('LIST_MALFORMED') from None
    need(isinstance(value, dict) and sorted(value) == ['files', 'schema'] and value['schema'] == SCHEMA, 'LIST_MALFORMED')
    files = value['files']
    need(isinstance(files, list) and len(files) > 0 and all(is_entry(entry) for entry in files), 'LIST_MALFORMED')
    need(all(is_path(entry['path']) for entry in files), 'LIST_PATH')
    paths = [entry['path'].encode() for entry in files]
    need(all(one < next for one, next in zip(paths, paths[1:])), 'LIST_ORDER')
    need(len(files) <= MOST, 'LIST_TOO_LONG')
    need(canonical(value) == text, 'LIST_MALFORMED')
    return files


def walk(folder):
    """Path in NFC and place of every file, in any order."""
    for at, folders, names in os.walk(folder, followlinks=False):
        for name in names:
            place = os.path.join(at, name)
            if stat.S_ISREG(os.lstat(place).st_mode):
                yield unicodedata.normalize('NFC', os.path.relpath(place, folder)), place


def digest(place):
    with open(place, 'rb') as file:
        data = file.read()
    return {'sha256': 'sha256:' + hashlib.sha256(data).hexdigest(), 'size': len(data)}


def make(folder):
    files = sorted(({'path': path, **digest(place)} for path, place in walk(folder)), key=lambda one: one['path'].encode())
    assert all(is_path(entry['path']) for entry in files)
    return canonical({'files': files, 'schema': SCHEMA})


def compare(data, folder):
    sealed = {entry['path']: entry for entry in read(data)}
    present = dict(walk(folder))
    for path in sorted(sealed.keys() | present.keys(), key=lambda one: one.encode()):
        if path not in present:
            yield 'missing', path
        elif path not in sealed:
            yield 'added', path
        else:
            yield 'same' if {'path': path, **digest(present[path])} == sealed[path] else 'changed', path


def judge(data):
    try:
        read(data)
        return 'OK'
    except Found as found:
        return str(found)


def main(command, *given):
    if command == '--each':
        for line in sys.stdin:
            print(judge(base64.b64decode(json.loads(line)['base64'])), flush=True)
    elif command == 'make':
        sys.stdout.buffer.write(make(given[0]).encode())
    else:
        with open(given[0], 'rb') as file:
            data = file.read()
        if command == 'read':
            print(judge(data))
        else:
            for verdict, path in compare(data, given[1]):
                print(verdict, path)


main(*sys.argv[1:])
