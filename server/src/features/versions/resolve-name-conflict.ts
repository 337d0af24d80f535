// Name conflicts: what an upload does if its folder has a file of the same name. Decided at the start; if another new
// version is stored meanwhile, completion fails.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { nameConflicts } from '@recordproof/shared/api/uploads.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';
import { toWireId } from '../../platform/ids.ts';
import { findFile, findNamedIn, findTakenNames, takeFreeName } from '../files/index.ts';

type NamedUpload = {
  readonly fileName: string;
  readonly path?: string | undefined;
  readonly targetFileId?: string | undefined;
  readonly onConflict?: (typeof nameConflicts)[number] | undefined;
};

/** The resolved request. An explicit target takes precedence. */
export async function resolveNameConflict<Request extends NamedUpload>(
  db: Db,
  owner: Owner,
  request: Request,
): Promise<Request> {
  const { onConflict, fileName, path = null, targetFileId } = request;
  if (onConflict === undefined || targetFileId !== undefined) return request;
  const existing = await findNamedIn(db, owner, path, fileName);
  if (existing === null) return request;
  switch (onConflict) {
    case 'newVersion':
      return { ...request, targetFileId: toWireId(existing.id) };
    case 'keepBoth':
      return { ...request, fileName: takeFreeName(await findTakenNames(db, owner, path, [fileName]), fileName) };
    case 'skip':
      throw new ApiError('DATA_ALREADY_EXISTED', 'this folder already has a file with that name; nothing was stored', {
        detail: { fileHash: existing.file_hash, fileId: toWireId(existing.id), fileName: existing.file_name },
      });
  }
}

type FutureFile = {
  readonly tenant_id: Key;
  readonly path: string | null;
  readonly target_file_id: Key | null;
};

/** A new version stays in its file's folder unless another one is given. */
export async function findTargetFolder(
  db: Db,
  { tenant_id, path, target_file_id: target }: FutureFile,
): Promise<string | null> {
  if (path !== null || target === null) return path;
  return (await findFile(db, tenant_id, target))?.path ?? null;
}
