// The caller's own files by hash. A file that a call names in its path is read with the session of the caller: one
// statement for both.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { fileHash } from '@recordproof/shared/api/files.ts';
import { sql } from 'kysely';
import { type Columns, rowAsJson } from '../../platform/db/joined-rows.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type Actor, type BesideSession, readBeside } from '../../platform/http/caller.ts';
import type { Request, Route } from '../../platform/http/route.ts';
import { type FileRow, findFileByHash, listFilesByHash } from './queries.ts';
import { isLive } from './views.ts';

const columns: Columns<'file'> = {
  ...{ id: 1, tenant_id: 1, owner_id: 1, file_hash: 1, content_hash: 1, file_name: 1, name_folded: 1, path: 1 },
  ...{ file_size: 1, content_type: 1, status: 1, transaction_hash: 1, manifest_hash: 1, proof_status: 1 },
  ...{ encryption: 1, file_nonce: 1, created_by: 1, origin_owner_id: 1, shared_from_id: 1, source_file_id: 1 },
  ...{ provenance_depth: 1, created_at: 1, deleted_at: 1, objects_released_at: 1, trash: 1 },
  ...{ version: 1, parent_version_id: 1, version_group_id: 1, is_latest: 1 },
};

/** For statements that read a file as one JSON value. */
export const fileAsJson = rowAsJson('file', columns);

/** Of the file in the parameter `hash`. */
const fileByHash: BesideSession<FileRow> = {
  toValue: params => fileHash.safeParse((params as { readonly hash?: unknown }).hash).data,
  toJson: (engine, value) => sql<string | null>`(
    select ${fileAsJson[engine]} from file where file.file_hash = ${value} and file.tenant_id = account.tenant_id)`,
  rowOf: readBeside,
};

/** Only the caller's own live files; all others count as missing. */
export async function getOwnFile(
  db: Db,
  { actor, caller }: Pick<Request, 'actor' | 'caller'>,
  hash: string,
): Promise<FileRow> {
  const read = fileByHash.rowOf(caller);
  const file = read === undefined ? await findFileByHash(db, actor.tenantId, hash) : read;
  if (file?.owner_id !== actor.userId || !isLive(file)) throw new ApiError('FILE_NOT_EXIST');
  return file;
}

/** The caller's own live files among these, unordered. */
export async function listOwnFiles(
  db: Db,
  { tenantId, userId }: Pick<Actor, 'tenantId' | 'userId'>,
  hashes: readonly string[],
): Promise<FileRow[]> {
  const rows = await listFilesByHash(db, tenantId, hashes);
  return rows.filter(row => row.owner_id === userId && isLive(row));
}

/** The file comes with the session. */
export const withFile = (one: Route): Route => ({ ...one, beside: fileByHash });
