import { type Selectable, sql } from 'kysely';
import type { Envelope } from '../../platform/crypto/envelope.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { EnvelopeSubject, RecipientType, SealedEnvelope } from './envelope-types.ts';

type EnvelopeRow = Selectable<Tables['envelope']>;

/** Whether anything that may still be opened is wrapped by this provider; by this version of its key, if one is named. */
export async function hasEnvelopes(db: Db, provider: string, keyVersion?: string): Promise<boolean> {
  let query = db
    .selectFrom('envelope')
    .select('id')
    .where(sql<boolean>`status = 'ACTIVE'`)
    .where('provider', '=', provider);
  if (keyVersion !== undefined) query = query.where('provider_key_version', '=', keyVersion);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

export type WrappedRow = Pick<
  EnvelopeRow,
  'provider' | 'provider_contract' | 'provider_key_version' | 'algorithm' | 'wrapped_key' | 'aad_digest'
>;

const mostKeysInUse = 1000;

/** One envelope of every key that wraps ACTIVE ones: a step in the index for each key, however many envelopes there are. */
export async function listKeysInUse(db: Db): Promise<WrappedRow[]> {
  const found: WrappedRow[] = [];
  for (let last = { provider: '', provider_key_version: '' }; found.length < mostKeysInUse; ) {
    const row = await db
      .selectFrom('envelope')
      .select(['provider', 'provider_contract', 'provider_key_version', 'algorithm', 'wrapped_key', 'aad_digest'])
      .where(sql<boolean>`status = 'ACTIVE'`)
      .where(sql<boolean>`(provider, provider_key_version) > (${last.provider}, ${last.provider_key_version})`)
      .orderBy('provider')
      .orderBy('provider_key_version')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) break;
    found.push(row);
    last = row;
  }
  return found;
}

export async function findActiveEnvelope(db: Db, subject: EnvelopeSubject): Promise<EnvelopeRow | null> {
  const row = await db
    .selectFrom('envelope')
    .selectAll()
    .where('tenant_id', '=', subject.tenantId)
    .where('file_id', '=', subject.fileId)
    .where('file_hash', '=', subject.fileHash)
    .where('recipient_type', '=', subject.recipientType)
    .where('recipient_id', '=', subject.recipientId)
    .where('status', '=', 'ACTIVE')
    .executeTakeFirst();
  return row ?? null;
}

type WrappedColumns =
  | 'provider'
  | 'provider_contract'
  | 'provider_key_version'
  | 'algorithm'
  | 'wrapped_key'
  | 'aad_digest'
  | 'key_check';

/** As the providers of keys know it. */
export const readEnvelope = (row: Pick<EnvelopeRow, WrappedColumns>): Envelope => ({
  provider: row.provider,
  contract: row.provider_contract,
  keyVersion: row.provider_key_version,
  algorithm: row.algorithm,
  wrapped: row.wrapped_key,
  aadDigest: row.aad_digest,
  keyCheck: row.key_check,
});

export async function insertEnvelopes(tx: Tx, envelopes: readonly SealedEnvelope[], now: Time): Promise<void> {
  if (envelopes.length === 0) return;
  const rows = envelopes.map(({ subject, ...envelope }) => ({
    tenant_id: subject.tenantId,
    file_id: subject.fileId,
    file_hash: subject.fileHash,
    recipient_type: subject.recipientType,
    recipient_id: subject.recipientId,
    status: 'ACTIVE',
    provider: envelope.provider,
    provider_contract: envelope.contract,
    provider_key_version: envelope.keyVersion,
    logical_key_version: 1,
    algorithm: envelope.algorithm,
    wrapped_key: Buffer.from(envelope.wrapped),
    aad_digest: envelope.aadDigest,
    key_check: envelope.keyCheck ?? null,
    signature_suite: envelope.signatureSuite,
    kem_suite: envelope.kemSuite,
    created_at: now,
    updated_at: now,
  }));
  await tx.insertInto('envelope').values(rows).execute();
}

type EnvelopeFilter = {
  readonly tenantId: Key;
  readonly recipientTypes: readonly RecipientType[];
  readonly recipientId?: string;
  readonly fileId?: Key;
};

const activeOf = (tx: Tx, { tenantId, recipientTypes, recipientId, fileId }: EnvelopeFilter) => {
  let query = tx
    .selectFrom('envelope')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('recipient_type', 'in', recipientTypes)
    .where('status', 'in', ['ACTIVE', 'PENDING_VERIFICATION']);
  if (recipientId !== undefined) query = query.where('recipient_id', '=', recipientId);
  if (fileId !== undefined) query = query.where('file_id', '=', fileId);
  return query.orderBy('id');
};

/** Locked in one order first, so that two who revoke at once never wait for each other. */
export async function revokeMatching(tx: Tx, engine: Engine, filter: EnvelopeFilter, now: Time): Promise<void> {
  const query = activeOf(tx, filter);
  const rows = await (engine === 'postgres' ? query.forUpdate() : query).execute();
  if (rows.length === 0) return;
  const ids = rows.map(row => row.id);
  await tx.updateTable('envelope').set({ status: 'REVOKED', updated_at: now }).where('id', 'in', ids).execute();
}
