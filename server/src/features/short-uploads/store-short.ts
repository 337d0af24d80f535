// A file that came in one call, stored when this resolves: as durable as one that came in parts, and as much on its way
// to a proof.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { type ShortFile, sealFile } from './seal-file.ts';
import type { StoredFile } from './views.ts';

/** What is larger goes the way of uploads in chunks, and so does everything while records go to a chain elsewhere. */
const mostBytes = 8 * 1024 * 1024;

export const isShort = ({ records, config }: Pick<Server, 'records' | 'config'>, fileSize: number): boolean =>
  records.within !== undefined && fileSize <= Math.min(mostBytes, config.uploads.maxChunkBytes);

/** Counts in the metrics of sagas, as the same file would that came in parts. */
export async function storeShort(server: Server, call: Call, file: ShortFile): Promise<StoredFile> {
  const { within } = server.records;
  if (!within) throw new Error('records go to a chain elsewhere, and this file the long way');
  const stores = { ...server, within };
  const { clock, sagas } = server;
  const startedAt = clock.now();
  const count = (status: 'COMPLETED' | 'FAILED') => sagas.countEnd(status, (clock.now() - startedAt) / 1000);
  try {
    const stored = await server.sharedCommits.store(stores, () => sealFile(stores, call, file));
    count('COMPLETED');
    return stored;
  } catch (error) {
    // A rejected file never becomes a saga, in whatever way it comes.
    if (!(error instanceof ApiError) || error.status >= 500) count('FAILED');
    throw error;
  }
}
