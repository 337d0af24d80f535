// Time stamps by `openssl ts` as the authority: what it answers is accepted, and everything that is wrong has its code.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test as plainTest } from 'vitest';
import { testWith } from '../../../test/support/programs.ts';
import { type Authority, type KeyKind, makeAuthority, testPolicy } from '../../../test/support/time-stamp-authority.ts';
import { verifySignature } from '../node/verify-signature.ts';
import { sha256, toHex, toUtf8 } from './digest.ts';
import { checkStamp, type StampCode, StampError, type StampExpectation, writeStampRequest } from './rfc3161.ts';
import { parseRoots } from './x509.ts';

const test = testWith('openssl');
const folder = mkdtempSync(join(tmpdir(), 'stamps-'));
afterAll(() => rmSync(folder, { recursive: true }));
let folders = 0;
const newAuthority = (options: Parameters<typeof makeAuthority>[1] = {}) => {
  const own = join(folder, String(folders++));
  execFileSync('mkdir', [own]);
  return makeAuthority(own, options);
};

const checkpoint = toUtf8('ledger.example/log\n7\n1IdM4rB6Q+vHQCpvjpjOGookLuK54T9vX5PW2uN0B+Q=\n');
const digest = sha256(checkpoint);
const nonce = Uint8Array.of(0xf1, 2, 3, 4, 5, 6, 7, 8);
const request = writeStampRequest(digest, nonce);

const expectationOf = (authority: Authority, changes: Partial<StampExpectation> = {}): StampExpectation => ({
  ...{ digest, nonce, roots: parseRoots(authority.roots), verify: verifySignature },
  ...changes,
});

async function codeOf(response: Uint8Array, expected: StampExpectation): Promise<StampCode | 'OK'> {
  try {
    await checkStamp(response, expected);
    return 'OK';
  } catch (problem) {
    if (problem instanceof StampError) return problem.code;
    throw problem;
  }
}

describe.each<[string, Parameters<typeof makeAuthority>[1]]>([
  ['RSA', { key: 'RSA' }],
  [
    'RSASSA-PSS certificates',
    { key: 'RSA', sign: ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32'] },
  ],
  ['ECDSA', { key: 'ECDSA' as KeyKind }],
  ['ECDSA P-384', { key: 'ECDSA P-384' as KeyKind, sign: ['-sha384'] }],
  ['certificate named with SHA-1', { key: 'ECDSA', idHash: 'sha1' }],
  ['certificate named with SHA-512', { key: 'ECDSA', idHash: 'sha512' }],
])('an authority with %s', (_, options) => {
  test('is accepted with its time, and openssl verifies the stored response', async () => {
    const authority = newAuthority(options);
    const response = authority.answer(request);
    const { info, latestMs, authority: name, chain } = await checkStamp(response, expectationOf(authority));
    expect(Math.abs(info.timeMs - Date.now())).toBeLessThan(300_000);
    expect([latestMs - info.timeMs, name, chain.length, info.policy]).toEqual([1501, 'Test authority', 2, testPolicy]);
    authority.verify(response, checkpoint);
    expect(() => authority.verify(response, toUtf8('something else'))).toThrow();
    const other = expectationOf(authority, { digest: sha256(toUtf8('something else')) });
    expect(await codeOf(response, other)).toBe('STAMP_IMPRINT');
  });
});

describe('a response is rejected', () => {
  const shared = Promise.try(() => newAuthority());
  const answered = shared.then(authority => ({ authority, response: authority.answer(request) }));

  test('with another nonce, none, or another policy', async () => {
    const { authority, response } = await answered;
    const expected = expectationOf(authority);
    expect(await codeOf(response, { ...expected, nonce: nonce.with(7, 9) })).toBe('STAMP_NONCE');
    const query = ['ts', '-query', '-digest', toHex(digest), '-sha256', '-cert', '-no_nonce'];
    const withoutNonce = authority.answer(execFileSync('openssl', query));
    expect(await codeOf(withoutNonce, expected)).toBe('STAMP_NONCE');
    expect(await codeOf(response, { ...expected, policy: `${testPolicy}.2` })).toBe('STAMP_POLICY');
    const asked = authority.answer(writeStampRequest(digest, nonce, `${testPolicy}.2`));
    expect(await codeOf(asked, { ...expected, policy: `${testPolicy}.2` })).toBe('OK');
  });

  test('over another hash algorithm of the same text, which is not a contradiction', async () => {
    const { authority } = await answered;
    const sha512 = createHash('sha512').update(checkpoint).digest('hex');
    const response = authority.answer(execFileSync('openssl', ['ts', '-query', '-digest', sha512, '-sha512', '-cert']));
    authority.verify(response, checkpoint);
    expect(await codeOf(response, expectationOf(authority))).toBe('STAMP_ALGORITHM');
  });

  test('when the authority rejected the request', async () => {
    const { authority } = await answered;
    const rejected = authority.answer(writeStampRequest(digest, nonce, '1.2.3.4'));
    expect(await codeOf(rejected, expectationOf(authority))).toBe('STAMP_REFUSED');
  });

  test('without the certificate of its signer', async () => {
    const { authority } = await answered;
    const without = authority.answer(Buffer.concat([Buffer.of(0x30, (request[1] ?? 0) - 3), request.subarray(2, -3)]));
    expect(await codeOf(without, expectationOf(authority))).toBe('STAMP_CERTIFICATE');
  });

  test.each([
    ['no purpose', 'none'],
    ['a purpose that is not critical', 'timeStamping'],
    ['a second purpose', 'critical,timeStamping,serverAuth'],
  ])('from a certificate with %s', async (_, purpose) => {
    const { authority, response } = await answered;
    const other = newAuthority({ key: 'ECDSA', purpose });
    const forged = other.forge(response);
    expect(await codeOf(forged, expectationOf(other))).toBe('STAMP_CERTIFICATE');
    expect(() => other.verify(forged, checkpoint)).toThrow();
    expect(await codeOf(response, expectationOf(other))).toBe('STAMP_UNTRUSTED');
    expect(await codeOf(authority.forge(response), expectationOf(authority))).toBe('OK');
  });

  test('when truncated, extended, too large, or changed in any relevant byte', async () => {
    const { authority, response } = await answered;
    const expected = expectationOf(authority);
    for (let length = 0; length < response.length; length += 7)
      expect([length, await codeOf(response.subarray(0, length), expected)]).toEqual([length, 'STAMP_TRUNCATED']);
    expect(await codeOf(Buffer.concat([response, Buffer.of(0)]), expected)).toBe('STAMP_TRAILING_BYTES');
    expect(await codeOf(new Uint8Array(2 ** 20), expected)).toBe('STAMP_TOO_LARGE');
    expect(await codeOf(Buffer.concat([response, new Uint8Array(2 ** 20)]), expected)).toBe('STAMP_TOO_LARGE');
    expect(await codeOf(response.subarray(0, 0), expected)).toBe('STAMP_TRUNCATED');
    const accepted: Uint8Array[] = [];
    for (let at = 0; at < response.length; at += 3) {
      const changed = new Uint8Array(response);
      changed[at] = (changed[at] ?? 0) ^ 0x41;
      if ((await codeOf(changed, expected)) === 'OK') accepted.push(changed);
    }
    // Versions are neither signed nor used, by openssl neither.
    expect(accepted.length).toBeLessThan(6);
    for (const changed of accepted) authority.verify(changed, checkpoint);
  });

  test('with a wrong signature', async () => {
    const { authority, response } = await answered;
    const changed = response.with(response.length - 1, (response.at(-1) ?? 0) ^ 1);
    expect(await codeOf(changed, expectationOf(authority))).toBe('STAMP_SIGNATURE');
  });

  test('when a certificate was not valid at its time', async () => {
    const { authority, response } = await answered;
    const [root] = parseRoots(authority.roots);
    if (root === undefined) throw new Error('no root');
    for (const times of [
      { notBefore: 0, notAfter: Date.now() - 86_400_000 },
      { notBefore: Date.now() + 86_400_000, notAfter: Number.MAX_SAFE_INTEGER },
    ])
      expect(await codeOf(response, expectationOf(authority, { roots: [{ ...root, ...times }] }))).toBe(
        'STAMP_EXPIRED',
      );
  });
});

plainTest('a request equals that of openssl, except its nonce', () => {
  expect(toHex(writeStampRequest(digest, Uint8Array.of(0x7f, 1, 1, 1, 1, 1, 1, 1), '1.2.840.113549'))).toBe(
    `304b020101${'3031300d060960864801650304020105000420'}${toHex(digest)}06062a864886f70d02087f01010101010101${'0101ff'}`,
  );
});
