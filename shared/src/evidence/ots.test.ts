// OpenTimestamps files: round trip, operations, limits, malformed files, calendar responses, Bitcoin headers.
import { expect, test } from 'vitest';
import { bitcoinOts, bushyOts, headerLine } from '../../../test/support/ots-files.ts';
import { blockSeconds, merkleRootOf, parseBitcoinHeaders } from './bitcoin-headers.ts';
import { concatBytes, parseHex, sha256, toHex, toUtf8 } from './digest.ts';
import { listOtsClaims, otsPath, parseCalendarAnswer, parseOts, writeOts } from './ots.ts';
import { append, applyOperation, type OtsOperation, prepend } from './ots-operations.ts';

const digest = sha256(toUtf8('a file'));
const written = writeOts(bushyOts());

test('a file is written, read and written again unchanged', () => {
  const file = parseOts(written);
  expect(writeOts(file)).toEqual(written);
  expect(listOtsClaims(file.root).map(({ attestation, message }) => [attestation.kind, message.length])).toEqual([
    ['PENDING', 32],
    ['OTHER', 20],
    ['BITCOIN', 32],
    ['BITCOIN', 32],
  ]);
});

test('operations compute their functions', () => {
  const steps: OtsOperation[] = [{ kind: 'hexlify' }, prepend(toUtf8('sha256:')), append(toUtf8('\n'))];
  const result = steps.reduce((message, step) => applyOperation(step, message), digest);
  expect(result).toEqual(toUtf8(`sha256:${toHex(digest)}\n`));
  expect(toHex(applyOperation({ kind: 'reverse' }, Uint8Array.of(1, 2, 3)))).toBe('030201');
  expect(toHex(applyOperation({ kind: 'ripemd160' }, toUtf8('abc')))).toBe('8eb208f7e05d987a9b044a8e98c6b087f15a0bfc');
  expect(toHex(applyOperation({ kind: 'sha1' }, toUtf8('abc')))).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
});

test('messages are limited to 4,096 bytes, and paths to 255 operations', () => {
  const pad = new Uint8Array(4096 - 32);
  expect(() => bitcoinOts(digest, [append(pad)], 1)).not.toThrow();
  expect(() => bitcoinOts(digest, [append(pad), append(Uint8Array.of(1))], 1)).toThrow(RangeError);
  const hashes = (count: number) => bitcoinOts(digest, Array<OtsOperation>(count).fill({ kind: 'sha256' }), 1);
  expect(parseOts(writeOts(hashes(255))).hash).toBe('sha256');
  expect(() => writeOts(hashes(256))).toThrow(RangeError);
  const wide = concatBytes(
    ...Array<Uint8Array>(9000).fill(parseHex('ff080000112233445566770100')),
    parseHex('0000112233445566770100'),
  );
  expect(() => parseOts(concatBytes(written.subarray(0, 65), wide))).toThrow('too many operations');
});

test('truncated, extended and malformed files are rejected', () => {
  for (let length = 0; length < written.length; length++)
    expect(() => parseOts(written.subarray(0, length))).toThrow(RangeError);
  expect(() => parseOts(concatBytes(written, Uint8Array.of(0)))).toThrow(RangeError);
  expect(() => parseOts(new Uint8Array(2 ** 20))).toThrow('exceeds 262144 bytes');
  expect(() => parseOts(written.with(31, 2))).toThrow('another version');
  expect(() => writeOts({ hash: 'sha256', root: { message: digest, attestations: [], branches: [] } })).toThrow(
    RangeError,
  );
  expect(() =>
    writeOts({
      hash: 'sha256',
      root: otsPath(digest, [], message => ({
        message,
        attestations: [{ kind: 'PENDING', uri: 'https://a/?b' }],
        branches: [],
      })),
    }),
  ).toThrow(RangeError);
});

test('the response of a calendar extends a path', () => {
  const body = written.subarray(65);
  expect(listOtsClaims(parseCalendarAnswer(body, digest))).toHaveLength(4);
});

test('headers are read from lines and from a file of all blocks', () => {
  const line = headerLine(7, digest, 1_700_000_000);
  const header = parseBitcoinHeaders(toUtf8(`# mine\n${line}`))(7);
  expect(header && [merkleRootOf(header), blockSeconds(header)]).toEqual([digest, 1_700_000_000]);
  expect(parseBitcoinHeaders(toUtf8(line))(8)).toBeUndefined();
  const bytes = parseHex(line.trim().split(' ')[1] ?? '');
  expect(parseBitcoinHeaders(concatBytes(new Uint8Array(80), bytes))(1)).toEqual(bytes);
  expect(() => parseBitcoinHeaders(bytes.subarray(1))).toThrow('cut off');
  expect(() => parseBitcoinHeaders(toUtf8(`${line}${line}`))).toThrow('line 2');
  expect(() => parseBitcoinHeaders(toUtf8('7 00\n'))).toThrow('line 1');
});
