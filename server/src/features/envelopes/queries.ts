// Envelopes as rows: their states, recipients and suites, and all SQL on them.
import { type Selectable, sql } from 'kysely';
import type { RecipientType as BindingRecipient, Envelope } from '../../platform/crypto/envelope.ts';
import { isOneOf } from '../../platform/db/key-set.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { Write } from '../../platform/db/write-together.ts';
import type { EnvelopeSuites } from '../crypto-policy/index.ts';

/** Only the ACTIVE one of a recipient is used; a rotation supersedes it, the end of a share revokes it. */
export type EnvelopeStatus = 'ACTIVE' | 'PENDING_VERIFICATION' | 'SUPERSEDED' | 'REVOKED';

export type RecipientType = Exclude<BindingRecipient, 'UPLOAD'>;

/** The recipient whose envelope opens a data key: the owner's account id, a share's code, a friend share's id. */
export type Recipient = { readonly type: RecipientType; readonly id: string };

export type EnvelopeSubject = {
  readonly tenantId: Key;
  readonly fileId: Key;
  readonly fileHash: string;
  readonly recipientType: RecipientType;
  readonly recipientId: string;
};

export type SealedEnvelope = Envelope & EnvelopeSuites & { readonly subject: EnvelopeSubject };

type EnvelopeRow = Selectable<Tables['envelope']>;

/** Whether this provider, or this version of its key, wraps any envelope that may still be opened. */
export async function hasEnvelopes(db: Db, provider: string, keyVersion?: string): Promise<boolean> {
  let query = db
    .selectFrom('envelope')
    .select('id')
    .where(sql<boolean>`status = 'ACTIVE'`)
    .where('provider', '=', provider);
  if (keyVersion !== undefined) query = query.where('provider_key_version', '=', keyVersion);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** What opens the data key. */
export type KeyRow = Pick<EnvelopeRow, (typeof keyColumns)[number]>;

export const keyColumns = [
  'provider', 'provider_contract', 'provider_key_version', 'algorithm', 'wrapped_key', 'aad_digest', 'key_check',
  'signature_suite', 'kem_suite',
] as const; // biome-ignore format: a list of names

export type WrappedRow = Pick<
  EnvelopeRow,
  'provider' | 'provider_contract' | 'provider_key_version' | 'algorithm' | 'wrapped_key' | 'aad_digest'
>;

const mostKeysInUse = 1000;

/** One envelope of every key that wraps ACTIVE ones: one index step per key, for any number of envelopes. */
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

/** What names a recipient in a tenant. */
type InTenant = Omit<EnvelopeSubject, 'fileId' | 'fileHash'>;

const activeFor = (db: Db, { tenantId, recipientType, recipientId }: InTenant, fileIds: readonly Key[]) =>
  selectWhere(db, 'envelope', { tenant_id: tenantId })
    .where('file_id', 'in', fileIds)
    .where('recipient_type', '=', recipientType)
    .where('recipient_id', '=', recipientId)
    .where('status', '=', 'ACTIVE');

export async function findActiveEnvelope(db: Db, subject: EnvelopeSubject): Promise<KeyRow | null> {
  const query = activeFor(db, subject, [subject.fileId]).select(keyColumns);
  return (await query.where('file_hash', '=', subject.fileHash).executeTakeFirst()) ?? null;
}

/** Those of the files that are open to the recipient, by file; in whatever order. */
export async function listActiveEnvelopes(
  db: Db,
  recipient: InTenant,
  files: readonly { readonly id: Key; readonly file_hash: string }[],
): Promise<ReadonlyMap<Key, KeyRow>> {
  if (files.length === 0) return new Map();
  const ids = files.map(({ id }) => id);
  const rows = await activeFor(db, recipient, ids)
    .select(['file_id', 'file_hash', ...keyColumns])
    .execute();
  const byFile = new Map(rows.map(row => [`${row.file_id} ${row.file_hash}`, row]));
  return new Map(
    files.flatMap(({ id, file_hash }): [Key, KeyRow][] => {
      const row = byFile.get(`${id} ${file_hash}`);
      return row === undefined ? [] : [[id, row]];
    }),
  );
}

type OwnedFile = { readonly id: Key; readonly file_hash: string; readonly owner_id: Key };

/** The ACTIVE envelope of each file for its owner, by file. */
export async function listOwnerEnvelopes(
  db: Db,
  tenantId: Key,
  files: readonly OwnedFile[],
): Promise<ReadonlyMap<Key, KeyRow>> {
  const found = new Map<Key, KeyRow>();
  for (const [ownerId, owned] of Map.groupBy(files, file => file.owner_id)) {
    const owner = { tenantId, recipientType: 'OWNER', recipientId: String(ownerId) } as const;
    for (const [id, row] of await listActiveEnvelopes(db, owner, owned)) found.set(id, row);
  }
  return found;
}

/** Returns which of the files have an envelope for this recipient. */
export async function listSealedFor(db: Db, recipient: InTenant, fileIds: readonly Key[]): Promise<ReadonlySet<Key>> {
  if (fileIds.length === 0) return new Set();
  const rows = await activeFor(db, recipient, fileIds).select('file_id').execute();
  return new Set(rows.map(row => row.file_id));
}

/** As key providers expect it. */
export const readEnvelope = (row: KeyRow): Envelope => ({
  provider: row.provider,
  contract: row.provider_contract,
  keyVersion: row.provider_key_version,
  algorithm: row.algorithm,
  wrapped: row.wrapped_key,
  aadDigest: row.aad_digest,
  keyCheck: row.key_check,
});

export async function storeEnvelopes(tx: Tx, envelopes: readonly SealedEnvelope[], now: Time): Promise<void> {
  for (const write of writeEnvelopes(tx, envelopes, now)) await write.execute();
}

/** The same for `writeTogether`: none where there are no envelopes. */
export function writeEnvelopes(tx: Tx, envelopes: readonly SealedEnvelope[], now: Time): Write[] {
  if (envelopes.length === 0) return [];
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
  return [tx.insertInto('envelope').values(rows).returning('id')];
}

type EnvelopeFilter = {
  readonly tenantId: Key;
  readonly recipientTypes: readonly RecipientType[];
  readonly recipientId?: string;
  readonly fileIds?: readonly Key[];
};

const activeOf = (tx: Tx, engine: Engine, { tenantId, recipientTypes, recipientId, fileIds }: EnvelopeFilter) => {
  let query = selectWhere(tx, 'envelope', { tenant_id: tenantId })
    .select('id')
    .where('recipient_type', 'in', recipientTypes)
    .where('status', 'in', ['ACTIVE', 'PENDING_VERIFICATION']);
  if (recipientId !== undefined) query = query.where('recipient_id', '=', recipientId);
  if (fileIds !== undefined) query = query.where(isOneOf(engine, 'file_id', fileIds));
  return query.orderBy('id');
};

/**
 * Locked in one order first, so that concurrent revocations do not deadlock. A row that a key rotation replaces while
 * its lock is awaited is no longer active, and its replacement is not in the snapshot of that statement: read again.
 */
export async function revokeMatching(tx: Tx, engine: Engine, filter: EnvelopeFilter, now: Time): Promise<void> {
  for (;;) {
    const active = await activeOf(tx, engine, filter).execute();
    if (active.length === 0) return;
    const among = activeOf(tx, engine, filter).where(isOneOf(engine, 'id', active.map(toId)));
    const locked = engine === 'postgres' ? await among.forUpdate().execute() : active;
    const revoked = tx.updateTable('envelope').set({ status: 'REVOKED', updated_at: now });
    await revoked.where(isOneOf(engine, 'id', locked.map(toId))).execute();
    if (locked.length === active.length) return;
  }
}

const toId = (row: { readonly id: Key }): Key => row.id;
