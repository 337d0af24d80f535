// All SQL on cryptographic policies.
import { type CryptoChoices, choiceNames } from '@recordproof/shared/api/crypto-policy.ts';
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

const columns = {
  contentEncryptionSuite: 'content_encryption_suite',
  envelopeSignatureSuite: 'envelope_signature_suite',
  kemSuite: 'kem_suite',
  proofSuite: 'proof_suite',
  wrappingProvider: 'wrapping_provider',
  wrappingProviderContract: 'wrapping_provider_contract',
  signedProofSignatureSuite: 'signed_proof_signature_suite',
  signedProofSuite: 'signed_proof_suite',
  signingProvider: 'signing_provider',
  signingProviderContract: 'signing_provider_contract',
} as const satisfies Record<keyof CryptoChoices, keyof PolicyRow>;

const toChoices = (row: PolicyRow): CryptoChoices =>
  Object.fromEntries(choiceNames.map(name => [name, row[columns[name]]])) as CryptoChoices;

type ChoiceColumns = Pick<PolicyRow, (typeof columns)[keyof CryptoChoices]>;

const toColumns = (choices: CryptoChoices): ChoiceColumns =>
  Object.fromEntries(choiceNames.map(name => [columns[name], choices[name]])) as ChoiceColumns;
