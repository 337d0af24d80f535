// Which provider signs, and whether a signature is that of a known key. Every decision is counted. Refuses a key of a
// provider or contract that this program does not have.
import { createPublicKey, verify } from 'node:crypto';
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
  verify(key: ProofKeyRow, jws: ParsedJws): Promise<boolean>;
  /** Throws when the key is not known any more, which is a fault of this installation. */
  getKey(keyId: string, keyVersion: number): Promise<ProofKeyRow>;
};

export const toProofKey = (key: ProofKeyRow): ProofKey => ({
  keyId: key.key_id,
  keyVersion: key.key_version,
  publicKeyFingerprint: key.fingerprint,
});

/** What making and judging proofs takes. */
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
  const allow = (operation: 'current' | 'sign' | 'verify', key: ProofKeyRow): ProofKeyRow => {
    const reason =
      key.provider !== localEd25519.id
        ? 'UNSUPPORTED'
        : key.provider_contract !== localEd25519.contract
          ? 'PROVIDER_MISMATCH'
          : 'NONE';
    decisions.add({ operation, outcome: reason === 'NONE' ? 'allowed' : 'refused', reason });
    if (reason !== 'NONE') throw new Error(`no provider ${key.provider} with contract ${key.provider_contract} here`);
    return key;
  };
  return {
    current: async () => allow('current', await keys.current()),
    sign: async (key, message) => keys.sign(allow('sign', key), message),
    verify: async (key, jws) => isSignedByKey(allow('verify', key), jws),
    getKey: async (keyId, keyVersion) => {
      const key = await findKey(db, keyId, keyVersion);
      if (key === null) throw new Error(`signing key ${keyId} version ${keyVersion} is not known`);
      return key;
    },
  };
}

export async function isSignedByKey(key: ProofKeyRow, { signingInput, signature }: ParsedJws): Promise<boolean> {
  const spki = Buffer.from(key.public_spki, 'base64');
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return isSignedBy(parseSpki(spki), signingInput, signature, (_raw, message, given) =>
    verify(null, message, publicKey, given),
  );
}
