// Packed audit rows: short, the same texts again, and read for ever.
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import { expect, test } from 'vitest';
import { packTexts, unpackTexts } from './packed-row.ts';

const issued = {
  module: 'proofs',
  operation_type: 'issue',
  description: 'proof of file 999 issued',
  method: 'proofs.issue',
  request_url: 'proofs',
  request_method: 'LOCAL',
  request_param: `{"proofId":"rp-proof-${'d3'.repeat(32)}","fileId":999,"keyId":"rp-6a850d728f7aa16e","keyVersion":1}`,
};
const stored = {
  module: 'uploads',
  operation_type: 'store',
  description: 'file a "quoted" \\ name 文件.pdf stored',
  method: 'uploads.store',
  request_url: '/api/v1/files/batch',
  request_method: 'POST',
  request_param: '{}',
};
const cut = { ...stored, method: 'another', request_url: '', request_param: '{"path":"cut at its lim\ufffd' };

/** The digest is of the stored bytes, which later releases have to read: it never changes. */
test.each([
  [issued, 62, 'sha256:532e46f4ddd24184d8daba6797a6b3df8ace2b1483f33a500e7e45e3a4904a38'],
  [stored, 62, 'sha256:36ec71f77c1791cef3792a21f67ba85503b25968a3aee8d912426b27b0696bb7'],
  [cut, 73, 'sha256:dc5b6b04c63b1be52ddfb53b475bb8ce3018f8e7d065093d2ab1f5aabc683362'],
])('$method', (row, mostBytes, digest) => {
  const packed = packTexts(row);
  expect(packed.length).toBeLessThanOrEqual(mostBytes);
  const { module, operation_type } = row;
  expect({ module, operation_type, ...unpackTexts({ module, operation_type, packed }) }).toEqual(row);
  expect(digestOf(packed)).toBe(digest);
});

test('damaged bytes are read as other texts, and throw nothing', () => {
  const packed = packTexts(issued);
  const { module, operation_type, ...texts } = issued;
  for (const bytes of [packed.subarray(1), packed.subarray(0, -1), Buffer.from([255]), Buffer.alloc(0)])
    expect(unpackTexts({ module, operation_type, packed: bytes })).not.toEqual(texts);
});
