// Deletion and restoration of a user's file by an administrator.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Call } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { type FileRow, findFileByHash } from '../files/index.ts';
import { deleteFile, restoreFile } from '../trash/index.ts';
import { toStatusChange } from './policy.ts';

type Input = {
  readonly fileHash: string;
  readonly status: typeof fileStatus.SUCCESS | typeof fileStatus.DELETE;
  readonly reason: string | undefined;
};

/** Does nothing if the file already has the status. */
export async function changeFileStatus(
  server: Pick<Server, 'database' | 'clock' | 'config' | 'hooks' | 'log'>,
  call: Call,
  { fileHash, status, reason }: Input,
): Promise<FileRow> {
  const { tenantId } = call.actor;
  const file = await findFileByHash(server.database.db, tenantId, fileHash);
  if (file === null) throw new ApiError('FILE_NOT_EXIST');
  const change = toStatusChange(file.status, status);
  switch (change) {
    case 'none':
      return file;
    case 'delete':
      return deleteFile(server, call, { scope: { tenantId }, fileHash, reason });
    case 'restore':
      return restoreFile(server, call, { tenantId, fileId: file.id, reason });
    default:
      throw new ApiError('CONFLICT', change.rejection);
  }
}
