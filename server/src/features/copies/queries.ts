// SQL on copied files.
import { sql } from 'kysely';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor, Owner } from '../../platform/http/caller.ts';
import { type KeyRow, keyColumns } from '../envelopes/index.ts';
import type { FileRow } from '../files/index.ts';

/** The owner's copy of a file, stored or in progress; deleted and failed ones are excluded. */
export async function findCopy(db: Db, owner: Owner, sourceId: Key): Promise<FileRow | null> {
  const row = await selectWhere(db, 'file', {
    tenant_id: owner.tenantId,
    owner_id: owner.ownerId,
    source_file_id: sourceId,
  })
    .selectAll()
    .where(sql<boolean>`source_file_id is not null and status in (0, 1)`) // as a literal, so that the index matches
    .executeTakeFirst();
  return row ?? null;
}

/** The files of these hashes, each with the envelope of the account, which has none for the files of others. */
export async function listWithKeys(
  db: Db,
  { tenantId, userId }: Pick<Actor, 'tenantId' | 'userId'>,
  hashes: readonly string[],
): Promise<{ readonly file: FileRow; readonly key: KeyRow | null }[]> {
  if (hashes.length === 0) return [];
  const rows = await db
    .selectFrom('file')
    .leftJoin('envelope', join =>
      join
        .onRef('envelope.tenant_id', '=', 'file.tenant_id')
        .onRef('envelope.file_id', '=', 'file.id')
        .onRef('envelope.file_hash', '=', 'file.file_hash')
        .on('envelope.recipient_type', '=', 'OWNER')
        .on('envelope.recipient_id', '=', String(userId))
        .on('envelope.status', '=', 'ACTIVE'),
    )
    .selectAll('file')
    .select(keyColumns)
    .where('file.tenant_id', '=', tenantId)
    .where('file.file_hash', 'in', hashes)
    .execute();
  return rows.map(row => {
    const { provider, provider_contract, provider_key_version, algorithm, wrapped_key, ...others } = row;
    const { aad_digest, key_check, signature_suite, kem_suite, ...file } = others;
    const opening = { provider, provider_contract, provider_key_version, algorithm, wrapped_key };
    const key = { ...opening, aad_digest, key_check, signature_suite, kem_suite };
    return { file, key: wrapped_key === null ? null : (key as KeyRow) };
  });
}
