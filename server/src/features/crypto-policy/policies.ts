// The effective policy of each tenant: its own, or the configured default. Cached for a few seconds, so that writing
// many files does not read it each time; a change takes effect at once here, and after that time on other servers.
import { createHash } from 'node:crypto';
import { type CryptoChoices, type CryptoPolicy, choiceNames } from '@recordproof/shared/api/crypto-policy.ts';
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import { canonicalJson } from '@recordproof/shared/evidence/canonical-json.ts';
import { gcmChunkSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { merkleSuite } from '@recordproof/shared/evidence/merkle.ts';
import type { KeyProvider } from '../../platform/crypto/envelope.ts';
import {
  archiveSuite,
  jwsSuite,
  localEd25519,
  noKem,
  unsignedEnvelope,
} from '../../platform/crypto/suite-catalogue.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Platform } from '../../platform/server.ts';
import { findStoredPolicy, type StoredPolicy } from './queries.ts';

export type CryptoPolicies = {
  /** For writing: possibly a few seconds old. */
  inForce(tenantId: Key): Promise<CryptoPolicy>;
  /** The current state. */
  read(db: Db, tenantId: Key): Promise<CryptoPolicy>;
  /** Called after a change. */
  forget(tenantId: Key): void;
};

const keepMs = 1000;
const mostTenants = 1000;

type Kept = { readonly policy: CryptoPolicy; readonly readAt: number };
type Named = Pick<KeyProvider, 'id' | 'contract'>;
type PolicyContext = {
  readonly clock: Platform['clock'];
  readonly database: Pick<Platform['database'], 'db'>;
  /** The default wrapping provider. */
  readonly keyProvider: Named;
};

export function openCryptoPolicies({ database, clock, keyProvider }: PolicyContext): CryptoPolicies {
  const kept = new BoundedMap<Key, Kept>(mostTenants);
  let changes = 0;
  const read = async (db: Db, tenantId: Key) =>
    toPolicy((await findStoredPolicy(db, tenantId)) ?? toDefault(keyProvider));
  return {
    read,
    inForce: async tenantId => {
      const cached = kept.use(tenantId);
      const readAt = clock.now();
      if (cached && cached.readAt <= readAt && readAt < cached.readAt + keepMs) return cached.policy;
      const before = changes;
      const policy = await read(database.db, tenantId);
      if (changes === before) kept.set(tenantId, { policy, readAt });
      return policy;
    },
    forget: tenantId => {
      changes += 1;
      kept.evict(tenantId);
    },
  };
}

const toDefault = (keyProvider: Named): StoredPolicy => ({
  version: 0,
  choices: {
    contentEncryptionSuite: gcmChunkSuite,
    envelopeSignatureSuite: unsignedEnvelope,
    kemSuite: noKem,
    proofSuite: merkleSuite,
    wrappingProvider: keyProvider.id,
    wrappingProviderContract: keyProvider.contract,
    signedProofSignatureSuite: jwsSuite,
    signedProofSuite: archiveSuite,
    signingProvider: localEd25519.id,
    signingProviderContract: localEd25519.contract,
  },
});

export const toPolicy = ({ version, choices }: StoredPolicy): CryptoPolicy => ({
  policyVersion: version,
  ...choices,
  policyFingerprint: fingerprintOf(choices),
});

export const toChoices = (policy: CryptoChoices): CryptoChoices =>
  Object.fromEntries(choiceNames.map(name => [name, policy[name]])) as CryptoChoices;

const fingerprintOf = (choices: CryptoChoices): string =>
  `sha256:${createHash('sha256').update(canonicalJson(choices)).digest('hex')}`;
