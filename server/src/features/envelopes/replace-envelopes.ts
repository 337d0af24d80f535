// Replacing envelopes by new ones; the old ones stay as SUPERSEDED. Envelopes revoked or changed meanwhile are left
// unchanged.
import { sql } from 'kysely';
import type { Envelope, EnvelopeBinding } from '../../platform/crypto/envelope.ts';
import { integer } from '../../platform/db/claim.ts';
import { isOneOf } from '../../platform/db/key-set.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { type EnvelopeStatus, type RecipientType, readEnvelope } from './queries.ts';
import { toBinding } from './seal-envelope.ts';

export type OldEnvelope = {
  readonly id: Key;
  readonly status: EnvelopeStatus;
  readonly envelope: Envelope;
  readonly binding: EnvelopeBinding;
};

type Which = { readonly tenantId: Key; readonly ids: readonly Key[] };

export async function readEnvelopes(db: Db, engine: Engine, { tenantId, ids }: Which): Promise<OldEnvelope[]> {
  const rows = await db
    .selectFrom('envelope as e')
    .innerJoin('file as f', 'f.id', 'e.file_id')
    .selectAll('e')
    .select('f.file_nonce')
    .where('e.tenant_id', '=', tenantId)
    .where(isOneOf(engine, 'e.id', ids))
    .execute();
  return rows.map(row => {
    const recipientType = row.recipient_type as RecipientType;
    const { file_id: fileId, file_hash: fileHash, recipient_id: recipientId } = row;
    const subject = { tenantId, fileId, fileHash, recipientType, recipientId };
    const binding = toBinding(subject, Buffer.from(row.file_nonce ?? '', 'hex'));
    return { id: row.id, status: row.status as EnvelopeStatus, envelope: readEnvelope(row), binding };
  });
}

/** Returns their states, locked until the transaction ends. */
export async function lockEnvelopes(
  tx: Tx,
  engine: Engine,
  { tenantId, ids }: Which,
): Promise<Map<Key, EnvelopeStatus>> {
  const rows = await selectWhere(tx, 'envelope', { tenant_id: tenantId })
    .select(['id', 'status'])
    .where(isOneOf(engine, 'id', ids))
    .orderBy('id')
    .$if(engine === 'postgres', query => query.forUpdate())
    .execute();
  return new Map(rows.map(row => [row.id, row.status as EnvelopeStatus]));
}

type Replacement = { readonly old: OldEnvelope; readonly envelope: Envelope };

/** For locked ACTIVE envelopes. All come from one provider. */
export async function replaceEnvelopes(
  tx: Tx,
  engine: Engine,
  replacements: readonly Replacement[],
  { logicalVersion, now }: { readonly logicalVersion: number; readonly now: Time },
): Promise<void> {
  const [first] = replacements;
  if (first === undefined) return;
  const { provider, contract, keyVersion } = first.envelope;
  const ids = replacements.map(({ old }) => old.id);
  const superseded = tx.updateTable('envelope').set({ status: 'SUPERSEDED', updated_at: now });
  await superseded.where(isOneOf(engine, 'id', ids)).execute();
  // All other columns are copied from the old ones in the database.
  await sql`
    with moved (id, wrapped, algorithm, key_check) as (${toRows(engine, replacements)})
    insert into envelope (tenant_id, file_id, file_hash, recipient_type, recipient_id, status, provider, provider_contract,
      provider_key_version, logical_key_version, algorithm, wrapped_key, aad_digest, key_check, signature_suite, kem_suite,
      created_at, updated_at)
    select e.tenant_id, e.file_id, e.file_hash, e.recipient_type, e.recipient_id, 'ACTIVE', ${provider}, ${integer(contract)},
      ${keyVersion}, ${integer(logicalVersion)}, m.algorithm, m.wrapped, e.aad_digest, m.key_check, e.signature_suite,
      e.kem_suite, ${integer(now)}, ${integer(now)}
    from moved m join envelope e on e.id = m.id order by e.id`.execute(tx);
}

/** All of them in at most four parameters, for any number. */
function toRows(engine: Engine, replacements: readonly Replacement[]) {
  const wrapped = replacements.map(({ envelope }) => Buffer.from(envelope.wrapped));
  if (engine === 'postgres') {
    const ids = replacements.map(({ old }) => old.id);
    const algorithms = replacements.map(({ envelope }) => envelope.algorithm);
    const checks = replacements.map(({ envelope }) => envelope.keyCheck ?? null);
    return sql`select * from unnest(${ids}::bigint[], ${wrapped}::bytea[], ${algorithms}::text[], ${checks}::text[])`;
  }
  const rows = replacements.map(({ old, envelope }, index) => [
    old.id,
    wrapped[index]?.toString('hex'),
    envelope.algorithm,
    envelope.keyCheck ?? null,
  ]);
  return sql`select value ->> 0, unhex(value ->> 1), value ->> 2, value ->> 3 from json_each(${JSON.stringify(rows)})`;
}

/**
 * Whether the tenant has envelopes of another key: then the first or the last key by name differs. Two index look-ups
 * for any number of envelopes.
 */
export async function hasEnvelopesBeside(
  db: Db,
  tenantId: Key,
  target: Pick<Envelope, 'provider' | 'contract' | 'keyVersion'>,
): Promise<boolean> {
  const endOf = (direction: 'asc' | 'desc') =>
    selectWhere(db, 'envelope', { tenant_id: tenantId })
      .select(['provider', 'provider_contract as contract', 'provider_key_version as keyVersion'])
      .where(sql<boolean>`status = 'ACTIVE'`)
      .orderBy('provider', direction)
      .orderBy('provider_contract', direction)
      .orderBy('provider_key_version', direction)
      .limit(1)
      .executeTakeFirst();
  const ends = [await endOf('asc'), await endOf('desc')];
  return ends.some(
    key =>
      key !== undefined &&
      !(key.provider === target.provider && key.contract === target.contract && key.keyVersion === target.keyVersion),
  );
}
