// Cryptographic policy, for administrators: the suites for new records of their tenant, and the available suites and
// providers.
import { z } from 'zod';
import { isoTime } from './common.ts';
import { endpoint } from './endpoint.ts';

export const suiteTypes = [
  'CONTENT_ENCRYPTION',
  'ENVELOPE_SIGNATURE',
  'KEM',
  'PROOF',
  'SIGNED_PROOF_SIGNATURE',
  'SIGNED_PROOF',
] as const;
export type SuiteType = (typeof suiteTypes)[number];

/** Why a suite, a provider or a change of policy is rejected; NONE if it is not. */
export const decisionReasons = [
  'NONE',
  'UNKNOWN_SUITE',
  'TYPE_MISMATCH',
  'PROVIDER_MISMATCH',
  'UNSUPPORTED',
  'EXPERIMENTAL_NOT_ALLOWED',
  'DEPRECATED_FOR_WRITE',
  'DISABLED_FOR_READ',
  'INVALID_LIFECYCLE',
  'CAPABILITY_MISMATCH',
  'DOWNGRADE_BLOCKED',
  'REENCRYPT_REQUIRED',
  'POLICY_VERSION_CONFLICT',
] as const;
export type DecisionReason = (typeof decisionReasons)[number];

/** In order of evaluation and display. */
export const suiteFields = {
  contentEncryptionSuite: 'CONTENT_ENCRYPTION',
  envelopeSignatureSuite: 'ENVELOPE_SIGNATURE',
  kemSuite: 'KEM',
  proofSuite: 'PROOF',
  signedProofSignatureSuite: 'SIGNED_PROOF_SIGNATURE',
  signedProofSuite: 'SIGNED_PROOF',
} as const satisfies Readonly<Record<string, SuiteType>>;

const suiteId = z.string().regex(/^[A-Z0-9][A-Z0-9-]{0,63}$/, 'must be the name of a suite');
const providerId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be the name of a provider');
const contract = z.int().min(1);

const choices = {
  contentEncryptionSuite: suiteId,
  envelopeSignatureSuite: suiteId,
  kemSuite: suiteId,
  proofSuite: suiteId,
  wrappingProvider: providerId,
  wrappingProviderContract: contract,
  signedProofSignatureSuite: suiteId,
  signedProofSuite: suiteId,
  signingProvider: providerId,
  signingProviderContract: contract,
};
/** The content of a policy, without its version. */
const cryptoChoices = z.object(choices);
export type CryptoChoices = z.infer<typeof cryptoChoices>;
export const choiceNames = Object.keys(choices) as readonly (keyof CryptoChoices)[];

const version = z.int().min(0);
const fingerprint = z.string();

const policyView = z.object({
  /** 0: the tenant has no policy of its own, and uses the server's configuration. */
  policyVersion: version,
  ...choices,
  /** SHA-256 over the canonical JSON of the choices alone. */
  policyFingerprint: fingerprint,
});
export type CryptoPolicy = z.infer<typeof policyView>;

const suiteView = z.object({
  id: z.string(),
  type: z.enum(suiteTypes),
  provider: z.string(),
  providerContract: z.int(),
  /** At present. */
  status: z.enum(['EXPERIMENTAL', 'ACTIVE', 'DEPRECATED', 'DISABLED']),
  lifecycle: z.object({ introducedAt: isoTime, deprecatedAt: isoTime.nullable(), disabledAt: isoTime.nullable() }),
  constraints: z.record(z.string(), z.union([z.string(), z.int()])),
  /** Compatible suites. */
  compatibility: z.array(z.string()),
  productionWriteAllowed: z.boolean(),
});
export type SuiteView = z.infer<typeof suiteView>;

const wrappingProviderView = z.object({
  provider: z.string(),
  providerContract: z.int(),
  operations: z.array(z.string()),
  algorithms: z.array(z.string()),
  /** It is configured and answers. */
  available: z.boolean(),
  configuration: z.enum(['CONFIGURED', 'NOT_CONFIGURED']),
});
export type WrappingProviderView = z.infer<typeof wrappingProviderView>;

const proofProviderView = z.object({
  provider: z.string(),
  providerContract: z.int(),
  signatureSuites: z.array(z.string()),
  proofSuites: z.array(z.string()),
});
export type ProofProviderView = z.infer<typeof proofProviderView>;

const diagnosticsView = z.object({
  policyVersion: version,
  policyFingerprint: fingerprint,
  suites: z.array(suiteView),
  wrappingProviders: z.array(wrappingProviderView),
  proofProviders: z.array(proofProviderView),
});
export type CryptoDiagnostics = z.infer<typeof diagnosticsView>;

const prefix = '/api/v1/admin/crypto-agility';
const common = { feature: 'crypto-policy', access: 'system:admin', rate: 'other' } as const;

export const getCryptoPolicy = endpoint('getCryptoPolicy', {
  ...common,
  route: `GET ${prefix}/policy`,
  summary: 'What new records of the own tenant are written with',
  answer: policyView,
});

export const putCryptoPolicy = endpoint('putCryptoPolicy', {
  ...common,
  route: `PUT ${prefix}/policy`,
  summary: 'Say what new records of the own tenant shall be written with',
  description:
    'expectedVersion is the policyVersion that was read before; where it is no longer that one, 409. What may not be chosen is 422, with the reason in data.detail.reason and the field in data.detail.field. Records that exist stay readable as they were written.',
  body: z.object({ expectedVersion: version, ...choices }),
  answer: policyView,
  errors: ['POLICY_VERSION_CONFLICT', 'UNPROCESSABLE', 'SERVICE_UNAVAILABLE'],
});

export const getCryptoDiagnostics = endpoint('getCryptoDiagnostics', {
  ...common,
  route: `GET ${prefix}/diagnostics`,
  summary: 'Suites and providers, what they can do and until when',
  description: 'Asks each configured wrapping provider whether it answers.',
  answer: diagnosticsView,
});
