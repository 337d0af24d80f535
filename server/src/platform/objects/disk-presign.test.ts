// Signed URLs of the disk store: what they grant, and rejection of any alteration.
import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type SignedObjectGrant, toSignedUrl, verifySignedRequest } from './disk-presign.ts';

const secret = createSecretKey(randomBytes(32));
const put: SignedObjectGrant = { method: 'PUT', key: 'staging/a/0', size: 5, expiresAtEpochSeconds: 1000 };

const queryOf = (grant: SignedObjectGrant) =>
  new URL(toSignedUrl(secret, 'http://localhost/signed', grant)).searchParams;

const judge = (
  query: URLSearchParams,
  asked: { method?: string; contentLength?: number | undefined; now?: number } = {},
) =>
  verifySignedRequest(secret, {
    method: asked.method ?? 'PUT',
    query,
    contentLength: 'contentLength' in asked ? asked.contentLength : 5,
    nowEpochSeconds: asked.now ?? 999,
  });

test('a URL grants exactly what was signed', () => {
  expect(judge(queryOf(put))).toEqual({ kind: 'GRANTED', grant: put });
  const get: SignedObjectGrant = { method: 'GET', key: 'ü /?&=#+%', expiresAtEpochSeconds: 1000 };
  expect(judge(queryOf(get), { method: 'GET', contentLength: undefined })).toEqual({ kind: 'GRANTED', grant: get });
});

test('a wrong time, method or length is rejected', () => {
  expect(judge(queryOf(put), { now: 1000 })).toEqual({ kind: 'REFUSED', reason: 'EXPIRED' });
  expect(judge(queryOf(put), { method: 'GET' })).toEqual({ kind: 'REFUSED', reason: 'METHOD' });
  for (const contentLength of [4, 6, undefined, Number.NaN]) {
    expect(judge(queryOf(put), { contentLength })).toEqual({ kind: 'REFUSED', reason: 'LENGTH' });
  }
});

test('an altered field invalidates the signature', () => {
  for (const [name, value] of [
    ['key', 'staging/a/1'],
    ['key', '../../etc/passwd'],
    ['size', '6'],
    ['expires', '100000'],
  ] as const) {
    const query = queryOf(put);
    query.set(name, value);
    expect(judge(query)).toEqual({ kind: 'REFUSED', reason: 'SIGNATURE' });
  }
  const other = new URLSearchParams(queryOf(put));
  other.set('signature', Buffer.alloc(32).toString('base64url'));
  expect(judge(other)).toEqual({ kind: 'REFUSED', reason: 'SIGNATURE' });
});

test('a signature has exactly one encoding', () => {
  const query = queryOf(put);
  const signature = query.get('signature') ?? '';
  const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
    last => signature.slice(0, -1) + last,
  );
  const granted = spellings.filter(spelling => {
    query.set('signature', spelling);
    return judge(query).kind === 'GRANTED';
  });
  expect(granted).toEqual([signature]);
});

test('a signature of another secret is rejected', () => {
  const request = { method: 'PUT', query: queryOf(put), contentLength: 5, nowEpochSeconds: 1 };
  expect(verifySignedRequest(createSecretKey(randomBytes(32)), request)).toEqual({
    kind: 'REFUSED',
    reason: 'SIGNATURE',
  });
});

test('bytes moved from one signed field to the next invalidate the signature', () => {
  const query = queryOf({ ...put, key: 'staging/a/01', size: 5 });
  query.set('key', 'staging/a/0');
  query.set('size', '15');
  expect(judge(query, { contentLength: 15 })).toEqual({ kind: 'REFUSED', reason: 'SIGNATURE' });
});

test('a query with other than the five fields is malformed', () => {
  const change = (edit: (query: URLSearchParams) => void) => {
    const query = queryOf(put);
    edit(query);
    return judge(query);
  };
  for (const edit of [
    (query: URLSearchParams) => query.append('key', 'staging/a/1'),
    (query: URLSearchParams) => query.append('extra', ''),
    (query: URLSearchParams) => query.delete('signature'),
    (query: URLSearchParams) => query.set('signature', 'AAAA'),
    (query: URLSearchParams) => query.set('method', 'DELETE'),
    (query: URLSearchParams) => query.set('method', 'GET'),
    (query: URLSearchParams) => query.set('size', '05'),
    (query: URLSearchParams) => query.set('size', '-5'),
    (query: URLSearchParams) => query.set('size', '5e0'),
    (query: URLSearchParams) => query.set('expires', ''),
    (query: URLSearchParams) => query.set('expires', '99999999999999999999'),
  ]) {
    expect(change(edit)).toEqual({ kind: 'REFUSED', reason: 'MALFORMED' });
  }
});
