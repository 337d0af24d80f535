// Attachments of tickets: own live files, of which name, size and type are copied. The bytes are not.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { maxAttachments } from '@recordproof/shared/api/tickets.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toKey } from '../../platform/ids.ts';
import { type FileRow, findFile, isLive } from '../files/index.ts';

type Attachable = Pick<FileRow, 'file_name' | 'file_size' | 'content_type'> & {
  readonly file_id: FileRow['id'];
};

/** Throws unless all of them exist for this person; duplicates are removed. */
export async function getAttachable(tx: Tx, actor: Actor, wireIds: readonly string[]): Promise<Attachable[]> {
  const ids = [...new Set(wireIds)];
  if (ids.length > maxAttachments) {
    throw new ApiError('ATTACHMENT_LIMIT_EXCEEDED', `at most ${maxAttachments} files can be attached at once`);
  }
  const files: Attachable[] = [];
  for (const id of ids) {
    const file = await findFile(tx, actor.tenantId, toKey(id));
    if (file?.owner_id !== actor.userId || !isLive(file)) throw new ApiError('FILE_NOT_EXIST');
    const { file_name, file_size, content_type } = file;
    files.push({ file_id: file.id, file_name, file_size, content_type });
  }
  return files;
}
