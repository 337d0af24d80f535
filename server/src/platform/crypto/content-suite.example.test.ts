// Executes the worked example of docs/spec/content-encryption.md, section 8.
import { createSecretKey, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sha256Of, toBytes } from '../../../../test/support/bytes.ts';
import { type ChunkContext, contentSuite, openChunk, sealChunk, toPlainSize, toSealedSize } from './content-suite.ts';
import { toKeyCheck, toPurpose } from './envelope.ts';
import { unwrapLocally } from './local-wrap.ts';

const page = readFileSync(new URL('../../../../docs/spec/content-encryption.md', import.meta.url), 'utf8');
const lines = [...page.matchAll(/```example\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
const example = new Map(
  lines.map(line => {
    const [name = '', hex = ''] = line.split('=').map(part => part.trim());
    return [name, Buffer.from(hex, 'hex')] as const;
  }),
);
const get = (name: string): Buffer => {
  const bytes = example.get(name);
  if (bytes === undefined) throw new Error(`the page has no ${name}`);
  return bytes;
};

const context: ChunkContext = {
  dataKey: createSecretKey(get('data-key')),
  fileNonce: get('file-nonce'),
  tenantId: get('tenant').toString(),
  index: get('index').readUInt32BE(),
  count: get('count').readUInt32BE(),
};
const sealNonce = get('seal-nonce');
const seal = (plain: Uint8Array) => toBytes(sealChunk(context, [plain], { sealNonce }));

test('the page has every value of its example once, in whole bytes', () => {
  expect(example.size).toBe(lines.length);
  for (const line of lines) expect(line).toMatch(/^[a-z0-9-]+ += (?:[0-9a-f]{2})+$/);
});

test('the chunk key, header, nonce and additional data match the formulas', async () => {
  const key = Buffer.from(hkdfSync('sha256', get('data-key'), get('file-nonce'), get('hkdf-info'), 32));
  expect(key.equals(get('chunk-key'))).toBe(true);
  const sealed = await seal(get('plaintext'));
  expect(sealed.subarray(0, 48).toString('hex')).toBe(get('header').toString('hex'));
  expect(get('frame-0-nonce')).toHaveLength(12);
  expect(get('frame-0-aad').toString('hex')).toBe(
    `${Buffer.from(contentSuite).toString('hex')}${get('header').toString('hex')}0000000001`,
  );
});

test('sealing returns the bytes of the page, and opening returns the plaintext', async () => {
  expect((await seal(get('plaintext'))).toString('hex')).toBe(get('sealed').toString('hex'));
  expect((await seal(Buffer.alloc(0))).toString('hex')).toBe(get('sealed-empty').toString('hex'));
  expect((await toBytes(openChunk(context, [get('sealed')]))).toString()).toBe(get('plaintext').toString());
  expect(await toBytes(openChunk(context, [get('sealed-empty')]))).toHaveLength(0);
});

test('the layout of two frames matches the page', async () => {
  const plain = Buffer.from(Uint8Array.from({ length: 1_048_577 }, (_, index) => index % 251));
  const sealed = await seal(plain);
  expect(sealed.length).toBe(get('large-sealed-size').readUInt32BE());
  expect(toSealedSize(plain.length)).toBe(sealed.length);
  expect(toPlainSize(sealed.length)).toBe(plain.length);
  expect(sealed.subarray(48 + 1_048_576, 48 + 1_048_592).equals(get('large-tag-0'))).toBe(true);
  expect(sealed.subarray(48 + 1_048_592).equals(get('large-frame-1'))).toBe(true);
  expect(sha256Of(sealed)).toBe(get('large-sealed-sha256').toString('hex'));
});

test('the envelope binding and the locally wrapped key match the page', () => {
  const purpose = toPurpose({
    tenantId: get('tenant').toString(),
    fileId: get('binding-file-id').toString(),
    fileHash: get('binding-file-hash').toString(),
    recipientType: 'OWNER',
    recipientId: get('binding-recipient-id').toString(),
    suite: contentSuite,
    fileNonce: get('file-nonce'),
  });
  expect(get('binding-recipient-type').toString()).toBe('OWNER');
  const { digest: binding } = purpose;
  expect(Buffer.from(binding).toString('hex')).toBe(get('binding-digest').toString('hex'));
  expect(toKeyCheck(createSecretKey(get('data-key')), purpose)).toBe(get('key-check').toString('hex'));
  const master = createSecretKey(Buffer.alloc(32, 0xaa));
  expect(unwrapLocally(master, get('wrapped-key'), binding).export().equals(get('data-key'))).toBe(true);
});
