// Catalogue of the program's suites and signing providers, and their lifecycles. Configuration can end a suite sooner,
// but never allows what the program does not. Independent of tenants.
import type { SuiteType } from '@recordproof/shared/api/crypto-policy.ts';
import { gcmChunkSuite, plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { merkleSuite } from '@recordproof/shared/evidence/merkle.ts';
import { maxArchiveBytes } from '@recordproof/shared/evidence/proof-archive.ts';
import { toIso } from '../clock.ts';

export const unsignedEnvelope = 'UNSIGNED-V1';
export const noKem = 'NONE-V1';
export const jwsSuite = 'JWS-EDDSA-ED25519-V1';
export const archiveSuite = 'RP-SIGNED-PROOF-ZIP-V2';

/** Stands for suites without an implementation; never used in a policy. */
export const draftProvider = { id: 'unimplemented-pqc', contract: 1 } as const;
export const localEd25519 = { id: 'local-ed25519', contract: 1 } as const;
const builtIn = { id: 'recordproof', contract: 1 } as const;

/** Configurable providers; each reports its own operations. */
export const wrappingProviders = [
  { id: 'local', contract: 1 },
  { id: 'vault-transit', contract: 1 },
  { id: 'pkcs11', contract: 1 },
] as const;

export type SigningProvider = {
  readonly id: string;
  readonly contract: number;
  readonly signatureSuites: readonly string[];
  readonly proofSuites: readonly string[];
};

export const signingProviders: readonly SigningProvider[] = [
  { ...localEd25519, signatureSuites: [jwsSuite], proofSuites: [archiveSuite] },
];

type KnownSuite = {
  readonly id: string;
  readonly type: SuiteType;
  readonly provider: { readonly id: string; readonly contract: number };
  /** Per type: a policy may move to a higher generation, never back. */
  readonly generation: number;
  readonly introducedAt: number;
  readonly constraints: Readonly<Record<string, string | number>>;
  /** Compatible suites; the relation is symmetric. */
  readonly compatibility: readonly string[];
};

const introducedAt = Date.UTC(2026, 0, 1);
const first = { provider: builtIn, generation: 1, introducedAt };
const draft = { provider: draftProvider, generation: 2, introducedAt, constraints: {}, compatibility: [] };
const envelopeSuites = [unsignedEnvelope, noKem];

export const knownSuites = [
  {
    ...first,
    id: gcmChunkSuite,
    type: 'CONTENT_ENCRYPTION',
    constraints: { keyBits: 256, frameBytes: 1024 * 1024, tagBytes: 16 },
    compatibility: envelopeSuites,
  },
  // Direct uploads to the object store are stored unencrypted.
  { ...first, id: plainSuite, type: 'CONTENT_ENCRYPTION', generation: 0, constraints: {}, compatibility: [] },
  {
    ...first,
    id: unsignedEnvelope,
    type: 'ENVELOPE_SIGNATURE',
    constraints: { integrity: 'additional data of the wrapping' },
    compatibility: [gcmChunkSuite, noKem],
  },
  { ...draft, id: 'ML-DSA-65-DRAFT', type: 'ENVELOPE_SIGNATURE' },
  {
    ...first,
    id: noKem,
    type: 'KEM',
    constraints: { wrappedKeyBits: 256 },
    compatibility: [gcmChunkSuite, unsignedEnvelope],
  },
  { ...draft, id: 'ML-KEM-768-DRAFT', type: 'KEM' },
  {
    ...first,
    id: merkleSuite,
    type: 'PROOF',
    constraints: { hash: 'SHA-256', tree: 'RFC 9162' },
    compatibility: [jwsSuite, archiveSuite],
  },
  {
    ...first,
    id: jwsSuite,
    type: 'SIGNED_PROOF_SIGNATURE',
    provider: localEd25519,
    constraints: { algorithm: 'EdDSA', curve: 'Ed25519' },
    compatibility: [merkleSuite, archiveSuite],
  },
  {
    ...first,
    id: archiveSuite,
    type: 'SIGNED_PROOF',
    provider: localEd25519,
    generation: 2,
    constraints: { entries: 8, maxArchiveBytes },
    compatibility: [merkleSuite, jwsSuite],
  },
] as const satisfies readonly KnownSuite[];

export type SuiteId = (typeof knownSuites)[number]['id'];

/** Lifecycle of a suite in this deployment. */
export type Lifecycle = {
  /** From then on nothing new is written with it. */
  readonly deprecatedAt?: number | undefined;
  /** From then on nothing written with it is read. */
  readonly disabledAt?: number | undefined;
  readonly productionWriteAllowed?: boolean | undefined;
};
export type Lifecycles = Readonly<Partial<Record<SuiteId, Lifecycle>>>;

export type Suite = KnownSuite & {
  readonly deprecatedAt: number | null;
  readonly disabledAt: number | null;
  readonly productionWriteAllowed: boolean;
};

export const isDraft = ({ provider }: Pick<KnownSuite, 'provider'>): boolean => provider.id === draftProvider.id;

/** The error in a lifecycle, as a sentence with the configuration's names for its parts; null if valid. */
export function rejectLifecycle(
  id: SuiteId,
  { deprecatedAt, disabledAt, productionWriteAllowed }: Lifecycle,
  nameOf: (part: keyof Lifecycle) => string,
): string | null {
  const suite = knownSuites.find(known => known.id === id) as KnownSuite;
  if (productionWriteAllowed === true && isDraft(suite))
    return `${nameOf('productionWriteAllowed')} cannot allow what the program does not: ${id} is a draft.`;
  const introduced = `${toIso(suite.introducedAt)}, when ${id} was introduced.`;
  if (deprecatedAt !== undefined && deprecatedAt < suite.introducedAt)
    return `${nameOf('deprecatedAt')} must not be earlier than ${introduced}`;
  if (disabledAt === undefined) return null;
  if (disabledAt < suite.introducedAt) return `${nameOf('disabledAt')} must not be earlier than ${introduced}`;
  return deprecatedAt !== undefined && disabledAt < deprecatedAt
    ? `${nameOf('disabledAt')} must not be earlier than ${nameOf('deprecatedAt')}.`
    : null;
}

export const toCatalogue = (lifecycles: Lifecycles): readonly Suite[] =>
  knownSuites.map(known => {
    const { deprecatedAt = null, disabledAt = null, productionWriteAllowed = true } = lifecycles[known.id] ?? {};
    return { ...known, deprecatedAt, disabledAt, productionWriteAllowed: productionWriteAllowed && !isDraft(known) };
  });
