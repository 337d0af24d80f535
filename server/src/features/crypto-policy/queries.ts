// All SQL on cryptographic policies.
import type { CryptoChoices } from '@recordproof/shared/api/crypto-policy.ts';
import type { Selectable } from 'kysely';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

type PolicyRow = Selectable<Tables['crypto_policy']>;
export type StoredPolicy = { readonly version: number; readonly choices: CryptoChoices };

export async function findStoredPolicy(db: Db, tenantId: Key): Promise<StoredPolicy | null> {
  const row = await db.selectFrom('crypto_policy').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst();
  return row === undefined ? null : { version: row.version, choices: toChoices(row) };
}

/** Providers named in policies of tenants. */
export async function listWrappingProviders(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('crypto_policy').select('wrapping_provider').distinct().execute();
  return rows.map(row => row.wrapping_provider);
}

type Change = StoredPolicy & { readonly tenantId: Key };

/** Inserts version 1; any other version replaces its predecessor. Returns false if another writer was faster. */
export async function writePolicy(tx: Tx, { tenantId, version, choices }: Change, now: Time): Promise<boolean> {
  const values = { ...toColumns(choices), tenant_id: tenantId, version, updated_at: now };
  const written = await (version === 1
    ? tx
        .insertInto('crypto_policy')
        .values(values)
        .onConflict(conflict => conflict.column('tenant_id').doNothing())
        .executeTakeFirst()
    : tx
        .updateTable('crypto_policy')
        .set(values)
        .where('tenant_id', '=', tenantId)
        .where('version', '=', version - 1)
        .executeTakeFirst());
  return ('numUpdatedRows' in written ? written.numUpdatedRows : written.numInsertedOrUpdatedRows) === 1n;
}

const toChoices = (row: PolicyRow): CryptoChoices => ({
  contentEncryptionSuite: row.content_encryption_suite,
  envelopeSignatureSuite: row.envelope_signature_suite,
  kemSuite: row.kem_suite,
  proofSuite: row.proof_suite,
  wrappingProvider: row.wrapping_provider,
  wrappingProviderContract: row.wrapping_provider_contract,
  signedProofSignatureSuite: row.signed_proof_signature_suite,
  signedProofSuite: row.signed_proof_suite,
  signingProvider: row.signing_provider,
  signingProviderContract: row.signing_provider_contract,
});

const toColumns = (choices: CryptoChoices) => ({
  content_encryption_suite: choices.contentEncryptionSuite,
  envelope_signature_suite: choices.envelopeSignatureSuite,
  kem_suite: choices.kemSuite,
  proof_suite: choices.proofSuite,
  wrapping_provider: choices.wrappingProvider,
  wrapping_provider_contract: choices.wrappingProviderContract,
  signed_proof_signature_suite: choices.signedProofSignatureSuite,
  signed_proof_suite: choices.signedProofSuite,
  signing_provider: choices.signingProvider,
  signing_provider_contract: choices.signingProviderContract,
});
