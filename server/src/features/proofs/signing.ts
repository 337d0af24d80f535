// Signing of proofs by provider, and signature verification with known keys. Every decision is counted. Keys of
// unsupported providers or contracts are rejected.
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import { isSignedBy, parseSpki } from '@recordproof/shared/evidence/ed25519.ts';
import type { ParsedJws } from '@recordproof/shared/evidence/jws.ts';
import type { ProofKey } from '@recordproof/shared/evidence/proof-builder.ts';
import { localEd25519 } from '../../platform/crypto/suite-catalogue.ts';
import type { Platform, Server } from '../../platform/server.ts';
import { findKey, type ProofKeyRow } from './queries.ts';
import type { LocalSigningKeys } from './signing-keys.ts';

export type Signing = {
  current(): Promise<ProofKeyRow>;
  sign(key: ProofKeyRow, message: Uint8Array): Promise<Uint8Array>;
  /** False for any signature that is not exactly this key's. */
  verify(key: KnownKey, signed: SignedInput): Promise<boolean>;
  /** Without its status. */
  findKey(keyId: string, keyVersion: number): Promise<KnownKey | null>;
};

type SignedInput = Pick<ParsedJws, 'signingInput' | 'signature'>;

/** What never changes in the row of a key. */
type KnownKey = Omit<ProofKeyRow, 'status' | 'retired_at'>;

const mostKnownKeys = 100;

export const toProofKey = (key: KnownKey): ProofKey => ({
  keyId: key.key_id,
  keyVersion: key.key_version,
  publicKeyFingerprint: key.fingerprint,
});

/** Dependencies of issuing and verifying proofs. */
export type Proving = Pick<
  Server,
  'database' | 'clock' | 'log' | 'config' | 'signing' | 'suites' | 'cryptoPolicies' | 'soundProofs' | 'ledger'
>;

export function openSigning(
  { database: { db }, metrics }: Pick<Platform, 'database' | 'metrics'>,
  keys: LocalSigningKeys,
): Signing {
  const decisions = metrics.counter({
    name: 'app.crypto.proof_signing.decision',
    help: 'Decisions on which provider signs or checks a proof',
    labels: {
      operation: ['current', 'sign', 'verify'],
      outcome: ['allowed', 'refused'],
      reason: ['NONE', 'PROVIDER_MISMATCH', 'UNSUPPORTED'],
    },
  });
  const allow = <K extends KnownKey>(operation: 'current' | 'sign' | 'verify', key: K): K => {
    const reason =
      key.provider !== localEd25519.id
        ? 'UNSUPPORTED'
        : key.provider_contract !== localEd25519.contract
          ? 'PROVIDER_MISMATCH'
          : 'NONE';
    decisions.add({ operation, outcome: reason === 'NONE' ? 'allowed' : 'refused', reason });
    if (reason !== 'NONE')
      throw new Error(`this server does not support the signing provider ${key.provider}/${key.provider_contract}`);
    return key;
  };
  const cache = new BoundedMap<string, KnownKey>(mostKnownKeys);
  return {
    current: async () => allow('current', await keys.current()),
    sign: async (key, message) => keys.sign(allow('sign', key), message),
    verify: async (key, signed) => isSignedByKey(allow('verify', key), signed),
    findKey: async (keyId, keyVersion) => {
      const name = `${keyId}/${keyVersion}`;
      const key = cache.use(name) ?? (await findKey(db, keyId, keyVersion));
      if (key !== null) cache.set(name, key);
      return key;
    },
  };
}

const publicKeys = new BoundedMap<string, { readonly raw: Uint8Array; readonly key: KeyObject }>(mostKnownKeys);

function openPublicKey(spkiText: string) {
  const known = publicKeys.use(spkiText);
  if (known !== undefined) return known;
  const spki = Buffer.from(spkiText, 'base64');
  const opened = { raw: parseSpki(spki), key: createPublicKey({ key: spki, format: 'der', type: 'spki' }) };
  publicKeys.set(spkiText, opened);
  return opened;
}

export async function isSignedByKey(known: KnownKey, { signingInput, signature }: SignedInput): Promise<boolean> {
  const { raw, key } = openPublicKey(known.public_spki);
  return isSignedBy(raw, signingInput, signature, (_raw, message, signatureBytes) =>
    verify(null, message, key, signatureBytes),
  );
}
