// Rules of the cryptography policy: transitions between suites, dates for writing and reading, draft suites.
import type { CryptoChoices, CryptoPolicy } from '@recordproof/shared/api/crypto-policy.ts';
import { expect, test } from 'vitest';
import { knownSuites, signingProviders, toCatalogue } from '../../platform/crypto/suite-catalogue.ts';
import { checkRead, checkWrite, findBadChange, mayBeWritten, type PolicyContext, statusOf } from './policy.ts';

const now = Date.UTC(2027, 0, 1);
const gcm = 'RP-AES256-GCM-CHUNK-CHAIN-V1';
const local = { id: 'local', contract: 1, operations: ['wrap', 'unwrap'], algorithms: ['AES-256-GCM'] } as const;

const current: CryptoPolicy = {
  policyVersion: 3,
  policyFingerprint: 'sha256:',
  contentEncryptionSuite: gcm,
  envelopeSignatureSuite: 'UNSIGNED-V1',
  kemSuite: 'NONE-V1',
  proofSuite: 'RP-MERKLE-SHA256-V1',
  wrappingProvider: 'local',
  wrappingProviderContract: 1,
  signedProofSignatureSuite: 'JWS-EDDSA-ED25519-V1',
  signedProofSuite: 'RP-SIGNED-PROOF-ZIP-V2',
  signingProvider: 'local-ed25519',
  signingProviderContract: 1,
};

const ground: PolicyContext = {
  catalogue: toCatalogue({}),
  wrappers: [local, { ...local, id: 'weak', operations: ['unwrap'] }, { ...local, id: 'bare', algorithms: [] }],
  signers: [...signingProviders, { id: 'other-signer', contract: 1, signatureSuites: [], proofSuites: [] }],
  now,
};
const judge = (input: Partial<CryptoChoices>, more: Partial<PolicyContext> = {}) => {
  const rejection = findBadChange({ ...ground, ...more }, current, { ...current, ...input });
  return rejection === null ? 'NONE' : `${rejection.field} ${rejection.reason}`;
};

test.each<[string, Partial<CryptoChoices>, string]>([
  ['nothing new', {}, 'NONE'],
  ['an unknown suite', { kemSuite: 'NONE-V9' }, 'kemSuite UNKNOWN_SUITE'],
  ['a suite of another type', { proofSuite: 'NONE-V1' }, 'proofSuite TYPE_MISMATCH'],
  [
    'a draft signature',
    { envelopeSignatureSuite: 'ML-DSA-65-DRAFT' },
    'envelopeSignatureSuite EXPERIMENTAL_NOT_ALLOWED',
  ],
  ['a draft KEM', { kemSuite: 'ML-KEM-768-DRAFT' }, 'kemSuite EXPERIMENTAL_NOT_ALLOWED'],
  ['unencrypted content', { contentEncryptionSuite: 'NONE' }, 'contentEncryptionSuite REENCRYPT_REQUIRED'],
  [
    'a provider of drafts that wraps',
    { wrappingProvider: 'unimplemented-pqc' },
    'wrappingProvider EXPERIMENTAL_NOT_ALLOWED',
  ],
  [
    'a provider of drafts that signs',
    { signingProvider: 'unimplemented-pqc' },
    'signingProvider EXPERIMENTAL_NOT_ALLOWED',
  ],
  ['a provider that is not configured', { wrappingProvider: 'vault-transit' }, 'wrappingProvider UNSUPPORTED'],
  ['another contract', { wrappingProviderContract: 2 }, 'wrappingProviderContract PROVIDER_MISMATCH'],
  ['a provider that cannot wrap', { wrappingProvider: 'weak' }, 'wrappingProvider CAPABILITY_MISMATCH'],
  ['a provider without algorithms', { wrappingProvider: 'bare' }, 'wrappingProvider CAPABILITY_MISMATCH'],
  ['an unknown signer', { signingProvider: 'hsm' }, 'signingProvider UNSUPPORTED'],
  ['another contract of the signer', { signingProviderContract: 2 }, 'signingProviderContract PROVIDER_MISMATCH'],
  ['a signer without the suites', { signingProvider: 'other-signer' }, 'signingProvider CAPABILITY_MISMATCH'],
])('judge returns the verdict for a change to %s', (_name, input, verdict) => {
  expect(judge(input)).toBe(verdict);
});

test('a policy can change to a stronger suite of the same type, never to a weaker one', () => {
  const [merkle] = ground.catalogue.filter(({ id }) => id === 'RP-MERKLE-SHA256-V1');
  if (merkle === undefined) throw new Error('the catalogue has no proof suite');
  const next = (generation: number) => [...ground.catalogue, { ...merkle, id: 'RP-MERKLE-NEXT', generation }];
  expect(judge({ proofSuite: 'RP-MERKLE-NEXT' }, { catalogue: next(2) })).toBe('NONE');
  expect(judge({ proofSuite: 'RP-MERKLE-NEXT' }, { catalogue: next(0) })).toBe('proofSuite DOWNGRADE_BLOCKED');
});

test('writing ends at deprecated-at and reading at disabled-at, to the millisecond', () => {
  const catalogue = toCatalogue({ [gcm]: { deprecatedAt: now, disabledAt: now + 1000 } });
  const at = (time: number) => ({ type: 'CONTENT_ENCRYPTION', id: gcm, now: time }) as const;
  expect([checkWrite(catalogue, at(now - 1)), checkWrite(catalogue, at(now))]).toEqual([
    'NONE',
    'DEPRECATED_FOR_WRITE',
  ]);
  expect([checkRead(catalogue, at(now + 999)), checkRead(catalogue, at(now + 1000))]).toEqual([
    'NONE',
    'DISABLED_FOR_READ',
  ]);
  expect(checkWrite(toCatalogue({ [gcm]: { disabledAt: now } }), at(now)), 'nothing unreadable is written').toBe(
    'DEPRECATED_FOR_WRITE',
  );
  expect(judge({}, { catalogue })).toBe('contentEncryptionSuite DEPRECATED_FOR_WRITE');
});

test('a suite can be disabled for writing while its records stay readable', () => {
  const catalogue = toCatalogue({ NONE: { productionWriteAllowed: false } });
  const asked = { type: 'CONTENT_ENCRYPTION', id: 'NONE', now } as const;
  expect([checkWrite(catalogue, asked), checkRead(catalogue, asked)]).toEqual(['CAPABILITY_MISMATCH', 'NONE']);
});

test('draft suites are never used for writing, even if a deployment allows it', () => {
  const drafts = toCatalogue({ 'ML-KEM-768-DRAFT': { productionWriteAllowed: true } }).filter(({ id }) =>
    id.endsWith('-DRAFT'),
  );
  expect(drafts).toHaveLength(2);
  for (const draft of drafts) {
    expect(draft.provider.id).toBe('unimplemented-pqc');
    expect([statusOf(draft, now), mayBeWritten(draft, now)]).toEqual(['EXPERIMENTAL', false]);
    expect(checkWrite([draft], { type: draft.type, id: draft.id, now })).toBe('EXPERIMENTAL_NOT_ALLOWED');
  }
});

test('suite names are unique, and compatibility is mutual', () => {
  const all = toCatalogue({});
  expect(new Set(knownSuites.map(({ id }) => id)).size).toBe(knownSuites.length);
  for (const { id, compatibility } of all)
    for (const other of compatibility) expect(all.find(one => one.id === other)?.compatibility).toContain(id);
});
