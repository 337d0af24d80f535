// The suites and signing providers of this program, and how long each may be used. Configuration takes away: it ends a
// suite sooner, it never allows what the program does not. Knows no tenant.
import type { SuiteType } from '@recordproof/shared/api/crypto-policy.ts';
import { gcmChunkSuite, plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { merkleSuite } from '@recordproof/shared/evidence/merkle.ts';
import { maxArchiveBytes } from '@recordproof/shared/evidence/proof-archive.ts';
import { toIso } from '../clock.ts';

export const unsignedEnvelope = 'UNSIGNED-V1';
export const noKem = 'NONE-V1';
export const jwsSuite = 'JWS-EDDSA-ED25519-V1';
export const archiveSuite = 'RP-SIGNED-PROOF-ZIP-V2';

/** Stands for what nobody has built yet: never in a policy. */
export const draftProvider = { id: 'unimplemented-pqc', contract: 1 } as const;
export const localEd25519 = { id: 'local-ed25519', contract: 1 } as const;
const builtIn = { id: 'recordproof', contract: 1 } as const;

/** What can be configured; what each can do it says itself, once it is. */
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
  /** Of its type: a policy goes to a higher one, never back. */
  readonly generation: number;
  readonly introducedAt: number;
  readonly constraints: Readonly<Record<string, string | number>>;
  /** What it works together with; holds in both directions. */
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
  // What comes straight into the object store is stored as it is.
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

/** What a deployment says of a suite. */
export type Lifecycle = {
  /** From then on nothing new is written with it. */
  readonly deprecatedAt?: number | undefined;
  /** From then on what was written with it is not read any more. */
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

/** What is wrong with it, as a sentence about the names that the configuration gives to its parts; null when nothing is. */
export function refuseLifecycle(
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
