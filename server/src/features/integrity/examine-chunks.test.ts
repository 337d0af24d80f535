// Checks of chunks by hash and ETag from the object store: objects that are not read, and objects that must be.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ObjectHead } from '../../platform/objects/object-store.ts';
import { examineHead } from './examine-chunks.ts';

const toSha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const sha256 = toSha256('whole');
const chunk = { storagePath: 'tenant-1/a', size: 5, cipherHash: `sha256:${sha256}` };
const whole: ObjectHead = { size: 5, etag: 'one', sha256 };
const { sha256: _hash, ...undeclared } = whole;
const { signal } = new AbortController();

type ExamineOptions = {
  readonly head: ObjectHead;
  readonly etag?: string;
  readonly isDeclared?: boolean;
  readonly bytes?: string;
};

/** The finding, and how often the bytes were read. */
async function examine({ head, etag, isDeclared = true, bytes = 'whole' }: ExamineOptions) {
  let reads = 0;
  const objects = {
    findHead: async () => head,
    digest: async () => {
      reads += 1;
      return { size: bytes.length, sha256: toSha256(bytes) };
    },
  };
  const kept = new Map([[chunk.storagePath, { sha256, size: 5, etag: etag ?? null }]]);
  return [(await examineHead(objects, { kept, chunk, isDeclared, signal }))?.alertType ?? null, reads];
}

test('an object with the expected hash and ETag is not read', async () => {
  expect(await examine({ head: whole })).toEqual([null, 0]);
  expect(await examine({ head: whole, etag: 'one' })).toEqual([null, 0]);
});

test('a missing hash is a mismatch if the store should declare one', async () => {
  expect(await examine({ head: undeclared })).toEqual(['METADATA_MISMATCH', 0]);
  expect(await examine({ head: undeclared, isDeclared: false })).toEqual([null, 0]);
});

test('an object with a changed ETag is read, and different bytes are a mismatch', async () => {
  expect(await examine({ head: undeclared, isDeclared: false, etag: 'before', bytes: 'other' })).toEqual([
    'CONTENT_HASH_MISMATCH',
    1,
  ]);
  expect(await examine({ head: whole, etag: 'before' })).toEqual([null, 1]);
});
