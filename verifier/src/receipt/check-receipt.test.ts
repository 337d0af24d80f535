// Receipts that a holder of the key could write, and no issuer does.
import { canonicalBytes } from '@recordproof/shared/evidence/canonical-json.ts';
import { parseUtf8, toBase64, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { digestFields, signDropStatement, writeDropReceipt } from '@recordproof/shared/evidence/drop-receipt.ts';
import { parseJws, signJws, toJwsHeader } from '@recordproof/shared/evidence/jws.ts';
import { expect, test } from 'vitest';
import { testKey } from '../../../test/support/ed25519.ts';
import { nodePlatform } from '../node/node-platform.ts';
import { checkReceipt } from './check-receipt.ts';

const issuer = testKey('receipts');
const key = { keyId: 'rp-receipts', keyVersion: 1, publicKeyFingerprint: issuer.fingerprint };
const senderFields = { name: 'A. Sender' };
const digest = `sha256:${'ab'.repeat(32)}`;
const statement = await signDropStatement(
  {
    receivedAt: '2026-01-31T12:00:04.000Z',
    link: { id: '1', title: 'For the tender' },
    file: {
      ...{ name: 'offer.pdf', size: 1, contentHash: digest, recordId: 'cd'.repeat(32), manifestHash: digest },
      transactionHash: `0x${'ef'.repeat(32)}`,
    },
    senderFieldsSha256: digestFields(senderFields),
  },
  { ...key, sign: issuer.sign },
);

const keyFile = (used = {}): Uint8Array =>
  canonicalBytes({ algorithm: 'EdDSA', ...key, publicKeySpki: toBase64(issuer.spki), ...used });

async function check(signed: string, trustedKey = keyFile()) {
  const { outcome, checks } = await checkReceipt(
    { receipt: writeDropReceipt({ statement: signed, senderFields }), trustedKey },
    nodePlatform,
  );
  return [outcome, ...checks.filter(({ id }) => id !== 'file.content').map(({ code }) => code)];
}

test('a receipt that is dated after its key was retired is INVALID', async () => {
  const used = (usedUntil: string | null) => keyFile({ usedFrom: '2026-02-01T00:00:00.000Z', usedUntil });
  const open = ['INDETERMINATE', 'OK', 'OK', 'OK'];
  expect(await check(statement)).toEqual(open);
  expect(await check(statement, used(null))).toEqual(open);
  expect(await check(statement, used('2026-01-31T11:59:59.000Z'))).toEqual(open);
  expect(await check(statement, used('2026-01-31T11:59:58.999Z'))).toEqual(['INVALID', 'OK', 'KEY_NOT_IN_USE', 'OK']);
});

test('a statement has the header of a proof, in canonical form', async () => {
  const { payload } = parseJws(toUtf8(statement));
  const header = toJwsHeader(key.keyId, key.keyVersion);
  const signWith = async (changes: object) => parseUtf8(await signJws({ ...header, ...changes }, payload, issuer.sign));
  expect(await signWith({})).toBe(statement);
  for (const changes of [{ alg: 'none' }, { typ: 'JWT' }, { kid: 'other' }, { keyVersion: 2 }])
    expect([changes, await check(await signWith(changes))]).toEqual([changes, ['INVALID', 'RECEIPT_MALFORMED']]);
});
