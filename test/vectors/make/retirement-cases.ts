// Certificates of key retirement, sound ones and each way of being wrong, with what a verifier must answer.
import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '@recordproof/shared/evidence/canonical-json.ts';
import { digestOf, toBase64, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { signJws, toJwsHeader } from '@recordproof/shared/evidence/jws.ts';
import { openRotationTally, type RotationItem, rotationItemLine } from '@recordproof/shared/evidence/rotation-item.ts';
import { decodeX } from '../../support/curve.ts';
import { type TestKey, testKey } from '../../support/ed25519.ts';

export type RetirementCase = {
  readonly name: string;
  readonly document: string;
  readonly items?: string;
  readonly trustedKey?: string;
  readonly outcome: string;
  /** The check that must not pass, and the code that it gives. */
  readonly check?: string;
  readonly code?: string;
};

const issuer = testKey('issuer of retirements');
const keyId = 'rp-example';
const [before, after] = ['1', '2'].map(keyVersion => ({ provider: 'local', contract: 1, keyVersion })) as [
  RotationItem['before'],
  RotationItem['before'],
];
const recordId = (word: string): string => createHash('sha256').update(word).digest('hex');
const endedAt = '2026-01-31T12:00:02.000Z';
const owner = { recipientType: 'OWNER', endedAt, before } as const;

const rows: readonly RotationItem[] = [
  { ...owner, itemId: '1', recordId: recordId('one'), outcome: 'SUCCEEDED', after },
  { ...owner, itemId: '2', recordId: recordId('two'), outcome: 'SUCCEEDED', after },
  { ...owner, itemId: '3', recordId: recordId('two'), recipientType: 'SHARE', outcome: 'SKIPPED_REVOKED' },
  { ...owner, itemId: '4', recordId: recordId('new'), before: after, outcome: 'SKIPPED_ALREADY_TARGET', after },
];
const items = rows.map(row => Buffer.from(rotationItemLine(row)).toString()).join('');
const tally = openRotationTally();
rows.forEach(tally.add);
const { counts, keys } = tally.sums();

const certificate = {
  schema: 'recordproof.key-retirement-certificate.v1',
  tenantId: '1',
  issuedAt: '2026-01-31T12:00:04.000Z',
  policy: { version: 3, ...after, logicalKeyVersion: 2 },
  run: {
    runId: '7',
    requestId: 'january',
    createdAt: '2026-01-31T12:00:00.000Z',
    startedAt: '2026-01-31T12:00:01.000Z',
    completedAt: '2026-01-31T12:00:03.000Z',
  },
  counts,
  keys,
  items: { bytes: items.length, digest: digestOf(toUtf8(items)) },
  oldKeyInUse: false,
  audit: { position: 12, hash: recordId('audit') },
  signature: { keyId, keyVersion: 1, publicKeyFingerprint: issuer.fingerprint },
};
type Certificate = typeof certificate;

/** The key that the issuer signs with after this one. */
const next = testKey('next issuer of retirements');
const keyFile = (key: TestKey, keyVersion: number, used: object = {}): string =>
  JSON.stringify({
    algorithm: 'EdDSA',
    keyId,
    keyVersion,
    publicKeyFingerprint: key.fingerprint,
    publicKeySpki: toBase64(key.spki),
    ...used,
  });
const usedUntil = (end: string | null) => keyFile(issuer, 1, { usedFrom: '2026-01-01T00:00:00.000Z', usedUntil: end });

const trustedKey = keyFile(issuer, 1);

/** The least y that belongs to no point. */
let offCurve = 2;
while (decodeX(BigInt(offCurve)) !== undefined) offCurve += 1;

/** The signature with another R: the point that y belongs to. */
function withR(jws: string, y: number): string {
  const [header, payload, signature = ''] = jws.split('.');
  const bytes = Buffer.from(signature, 'base64url').fill(0, 0, 32);
  bytes[0] = y;
  return `${header}.${payload}.${bytes.toString('base64url')}`;
}

const toText = (value: unknown): string => `${canonicalJson(value as JsonValue)}\n`;

async function signed(value: unknown, key: TestKey = issuer, header: object = {}): Promise<{ jws: string }> {
  const payload = toUtf8(canonicalJson(value as JsonValue));
  const jws = await signJws({ ...toJwsHeader(keyId, 1), ...header }, payload, key.sign);
  return { jws: Buffer.from(jws).toString().trimEnd() };
}

/** Signed by the right key whatever it says. */
const saying = async (change: Partial<Certificate> | object) => {
  const changed = { ...certificate, ...change };
  return toText({ certificate: changed, ...(await signed(changed)) });
};

/** By the name of the case. */
const codes: Readonly<Record<string, string>> = {
  'no-trusted-key': 'TRUSTED_KEY_MISSING',
  'trusted-key-broken': 'TRUSTED_KEY_INVALID',
  'changed-after-signing': 'JWS_PAYLOAD_MISMATCH',
  'signed-by-another': 'SIGNATURE_INVALID',
  'header-of-another-key': 'JWS_CONTRACT',
  'algorithm-none': 'JWS_CONTRACT',
  'names-another-key': 'JWS_CONTRACT',
  'checked-with-the-next-key': 'TRUSTED_KEY_OTHER',
  'checked-with-other-key-of-that-name': 'KEY_FINGERPRINT_MISMATCH',
  'dated-after-its-key': 'KEY_NOT_IN_USE',
  'signature-r-off-curve': 'JWS_CONTRACT',
  'keys-unsorted': 'FIGURES_CONTRADICT',
  'key-twice': 'FIGURES_CONTRADICT',
  'key-of-no-item': 'FIGURES_CONTRADICT',
  'space-inside': 'JSON_NOT_CANONICAL',
  'members-reordered': 'JSON_NOT_CANONICAL',
  'no-line-feed': 'JSON_NOT_CANONICAL',
  'two-line-feeds': 'JSON_NOT_CANONICAL',
  'escaped-letter': 'JSON_NOT_CANONICAL',
  'number-respelled': 'JSON_NOT_CANONICAL',
  'counts-do-not-add-up': 'FIGURES_CONTRADICT',
  'keys-before-do-not-add-up': 'FIGURES_CONTRADICT',
  'moved-elsewhere': 'FIGURES_CONTRADICT',
  'unknown-field': 'JSON_SHAPE',
  'other-schema': 'JSON_SHAPE',
  'not-json': 'JSON_SYNTAX',
  'field-twice': 'JSON_DUPLICATE_FIELD',
  'items-one-changed': 'ITEMS_DIGEST_MISMATCH',
  'items-one-missing': 'ITEMS_DIGEST_MISMATCH',
  'items-no-last-line-feed': 'ITEMS_DIGEST_MISMATCH',
  'items-other-figures': 'ITEMS_FIGURES_MISMATCH',
  'items-respelled': 'ITEM_MALFORMED',
  'items-no-lines': 'ITEM_MALFORMED',
};

export async function listRetirementCases(): Promise<RetirementCase[]> {
  const cases = await listUncoded();
  return cases.map(one => ({ ...one, ...(codes[one.name] !== undefined && { code: codes[one.name] as string }) }));
}

async function listUncoded(): Promise<RetirementCase[]> {
  const { jws } = await signed(certificate);
  const document = toText({ certificate, jws });
  const wrong = (name: string, check: string, change: Partial<RetirementCase>): RetirementCase => ({
    ...{ name, document, items, trustedKey, outcome: 'INVALID', check },
    ...change,
  });
  const figures = 'certificate.figures';
  const signature = 'certificate.signature';
  const readable = 'certificate.readable';
  return [
    { name: 'sound', document, items, trustedKey, outcome: 'VALID' },
    { name: 'sound-without-items', document, trustedKey, outcome: 'VALID' },
    { name: 'no-trusted-key', document, items, outcome: 'INDETERMINATE', check: signature },
    wrong('trusted-key-broken', signature, { trustedKey: '{}', outcome: 'ERROR' }),
    wrong('changed-after-signing', signature, {
      document: toText({ certificate: { ...certificate, oldKeyInUse: true }, jws }),
    }),
    wrong('signed-by-another', signature, {
      document: toText({ certificate, ...(await signed(certificate, testKey('somebody else'))) }),
    }),
    wrong('header-of-another-key', signature, {
      document: toText({ certificate, ...(await signed(certificate, issuer, { kid: 'rp-other' })) }),
    }),
    wrong('algorithm-none', signature, {
      document: toText({ certificate, ...(await signed(certificate, issuer, { alg: 'none' })) }),
    }),
    wrong('names-another-key', signature, {
      document: await saying({ signature: { ...certificate.signature, keyVersion: 2 } }),
    }),
    wrong('checked-with-the-next-key', signature, { trustedKey: keyFile(next, 2), outcome: 'INDETERMINATE' }),
    wrong('checked-with-other-key-of-that-name', signature, { trustedKey: keyFile(next, 1) }),
    wrong('dated-after-its-key', signature, { trustedKey: usedUntil('2026-01-31T11:59:58.999Z') }),
    {
      name: 'dated-as-its-key-ends',
      document,
      items,
      trustedKey: usedUntil('2026-01-31T11:59:59.000Z'),
      outcome: 'VALID',
    },
    { name: 'signed-by-a-key-in-use', document, items, trustedKey: usedUntil(null), outcome: 'VALID' },
    wrong('signature-r-off-curve', signature, {
      document: toText({ certificate, jws: withR(jws, offCurve) }),
    }),
    wrong('keys-unsorted', figures, { document: await saying({ keys: [...keys].reverse() }) }),
    wrong('key-twice', figures, {
      document: await saying({ keys: [{ ...keys[0], before: 1 }, { ...keys[0], before: 2 }, ...keys.slice(1)] }),
    }),
    wrong('key-of-no-item', figures, {
      document: await saying({ keys: [...keys, { ...keys[1], keyVersion: '3', before: 0, after: 0 }] }),
    }),
    wrong('space-inside', readable, { document: document.replace('{', '{ ') }),
    wrong('members-reordered', readable, { document: `${JSON.stringify({ jws, certificate })}\n` }),
    wrong('no-line-feed', readable, { document: document.slice(0, -1) }),
    wrong('two-line-feeds', readable, { document: `${document}\n` }),
    wrong('escaped-letter', readable, { document: document.replace('january', '\\u006aanuary') }),
    wrong('number-respelled', readable, { document: document.replace('"position":12', '"position":12.0') }),
    wrong('counts-do-not-add-up', figures, { document: await saying({ counts: { ...counts, total: 5 } }) }),
    wrong('keys-before-do-not-add-up', figures, { document: await saying({ keys: keys.slice(1) }) }),
    wrong('moved-elsewhere', figures, {
      document: await saying({ policy: { ...certificate.policy, keyVersion: '3' } }),
    }),
    wrong('unknown-field', readable, { document: await saying({ more: 1 }) }),
    wrong('other-schema', readable, {
      document: await saying({ schema: 'recordproof.key-retirement-certificate.v2' }),
    }),
    wrong('not-json', readable, { document: 'no' }),
    wrong('field-twice', readable, { document: document.replace('{"certificate"', '{"jws":"a.b.c","certificate"') }),
    wrong('items-one-changed', 'items.digest', { items: items.replace('OWNER', 'SHARE') }),
    wrong('items-one-missing', 'items.digest', { items: items.slice(items.indexOf('\n') + 1) }),
    wrong('items-no-last-line-feed', 'items.digest', { items: items.slice(0, -1) }),
    ...(await Promise.all(
      (
        [
          ['items-other-figures', items.replace('"SUCCEEDED"', '"SKIPPED_ALREADY_TARGET"')],
          ['items-respelled', items.replace('{', '{ ')],
          ['items-no-lines', 'x'.repeat(9000)],
        ] as const
      ).map(async ([name, others]) =>
        wrong(name, 'items.figures', {
          items: others,
          document: await saying({ items: { bytes: others.length, digest: digestOf(toUtf8(others)) } }),
        }),
      ),
    )),
  ];
}
