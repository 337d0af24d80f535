// Deletion and restoration of a user's file by an administrator.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Call } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { type FileRow, findFileByHash } from '../files/index.ts';
import { deleteFile, restoreFile } from '../trash/index.ts';

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
  if (file.status === status) return file;
  if (file.status === fileStatus.SUCCESS) return deleteFile(server, call, { scope: { tenantId }, fileHash, reason });
  if (file.status === fileStatus.DELETE) return restoreFile(server, call, { tenantId, fileId: file.id, reason });
  throw new ApiError('CONFLICT', `the upload of file ${fileHash} is under way or has failed: its status cannot change`);
}
