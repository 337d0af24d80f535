// All SQL on certificates of runs.
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { ItemRow } from './item-queries.ts';
import type { RunRow } from './queries.ts';

type Envelope = Tables['envelope'];
export type EvidenceRow = Pick<ItemRow, 'id' | 'envelope_id' | 'recipient_type' | 'outcome' | 'updated_at'> &
  Pick<Envelope, 'file_hash' | 'provider' | 'provider_contract' | 'provider_key_version'>;

type After = { readonly after: Key; readonly limit: number };

/** Items with the envelopes that they found, in the order of these. */
export const listEvidence = (db: Db, run: RunRow, { after, limit }: After): Promise<EvidenceRow[]> =>
  db
    .selectFrom('key_rotation_item as i')
    .innerJoin('envelope as e', 'e.id', 'i.envelope_id')
    .select(['i.id', 'i.envelope_id', 'i.recipient_type', 'i.outcome', 'i.updated_at'])
    .select(['e.file_hash', 'e.provider', 'e.provider_contract', 'e.provider_key_version'])
    .where('i.tenant_id', '=', run.tenant_id)
    .where('i.run_id', '=', run.id)
    .where('i.envelope_id', '>', after)
    .orderBy('i.envelope_id')
    .limit(limit)
    .execute();

export async function findCertificate(db: Db, run: RunRow): Promise<string | null> {
  const row = await db
    .selectFrom('key_rotation_certificate')
    .select('document')
    .where('tenant_id', '=', run.tenant_id)
    .where('run_id', '=', run.id)
    .executeTakeFirst();
  return row?.document ?? null;
}

/** False when somebody else was first; theirs stays. */
export async function insertCertificate(tx: Tx, run: RunRow, document: string, now: Time): Promise<boolean> {
  const rows = await tx
    .insertInto('key_rotation_certificate')
    .values({ tenant_id: run.tenant_id, run_id: run.id, document, created_at: now })
    .onConflict(conflict => conflict.column('run_id').doNothing())
    .returning('id')
    .execute();
  return rows.length === 1;
}
