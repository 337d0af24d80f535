// Storing sealed files in one commit. Each succeeds or fails alone: if the set is rejected, each file gets a commit of
// its own, and the outcome of a commit with a lost answer is queried.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { fulfilled } from '../../platform/coalescer.ts';
import { OutcomeUnknown } from '../../platform/db/database-errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import type { RecordsWithin } from '../chain/index.ts';
import { type FileRow, findFileByOrigin, prepareFiles, type StoredFile, toStored } from '../files/index.ts';
import { storeUnrecorded } from '../stored/index.ts';
import { holdPlaced } from '../stored-objects/index.ts';
import { lockOpenStagingAreas } from './queries.ts';
import { discard, type SealedFile } from './seal-file.ts';

export type Stores = Pick<Server, 'database' | 'clock' | 'log' | 'config' | 'hooks' | 'objects'> & {
  readonly within: RecordsWithin;
};

type Outcome = PromiseSettledResult<StoredFile>;

export async function storeSet(server: Stores, files: readonly SealedFile[]): Promise<Outcome[]> {
  try {
    return (await commit(server, files)).map(fulfilled);
  } catch (error) {
    if (files.length === 1) return [await toOutcome(server, files[0] as SealedFile, error)];
  }
  const outcomes: Outcome[] = [];
  for (const file of files) outcomes.push(...(await storeSet(server, [file])));
  return outcomes;
}

async function commit(server: Stores, files: readonly SealedFile[]): Promise<StoredFile[]> {
  const { database, within } = server;
  const stored: FileRow[] = [];
  await database.db.transaction().execute(tx => storeAll(server, tx, files, rows => void stored.push(...rows)));
  within.written();
  return stored.map(toStored);
}

/** This record exists already. */
class MadeBefore extends Error {}

async function storeAll(
  server: Stores,
  tx: Tx,
  files: readonly SealedFile[],
  hear: (stored: readonly FileRow[]) => void,
): Promise<void> {
  const areas = new Set(files.map(({ slot }) => slot.areaId));
  const open = await lockOpenStagingAreas(tx, server.database.kind, [...areas]);
  if (open.size < areas.size) throw new ApiError('SYSTEM_BUSY', 'storing took too long; nothing was stored, try again');
  const records = files.map(({ record }) => record);
  const rows = new Map((await prepareFiles(tx, records, server.clock.now())).map(row => [row.id, row]));
  const prepared = files.map(file => ({ ...file, file: getOwn(rows, file) }));
  await holdPlaced(
    tx,
    server.database.kind,
    files.map(({ object }) => object),
  );
  const finish = await storeUnrecorded(
    server,
    tx,
    prepared.map(one => ({ ...one, heldBy: null, audit: toEntry(one.file) })),
  );
  const entries = files.map(({ record, manifest: { manifestHash } }) => ({ fileHash: record.fileHash, manifestHash }));
  await server.within.write(tx, entries, async hashes => hear(await finish(hashes)));
}

function getOwn(rows: ReadonlyMap<number, FileRow>, { record }: SealedFile): FileRow {
  const row = rows.get(record.id);
  if (!row) throw new MadeBefore();
  return row;
}

const toEntry = ({ file_name, path }: FileRow) => ({
  module: 'uploads',
  operation: 'store',
  description: `file ${file_name} stored`,
  ...(path !== null && { param: { path } }),
});

/** The outcome of a file after its own commit failed; if it cannot be determined, one retry. */
async function toOutcome(server: Stores, file: SealedFile, error: unknown, isLast = false): Promise<Outcome> {
  if (error instanceof ApiError && error.status < 500) {
    await discard(server, file.object.path);
    return { status: 'rejected', reason: error };
  }
  const made = await findMade(server, file).catch(() => null);
  if (made !== null) return fulfilled(made);
  if (isLast || !(error instanceof OutcomeUnknown)) return { status: 'rejected', reason: error };
  try {
    const [stored] = await commit(server, [file]);
    return fulfilled(stored as StoredFile);
  } catch (again) {
    return toOutcome(server, file, again instanceof ApiError ? again : error, true);
  }
}

/** The record made of this file, by the lost commit or before it. */
async function findMade(server: Stores, { record, object }: SealedFile): Promise<StoredFile | null> {
  const made = await findFileByOrigin(server.database.db, record.createdBy);
  if (made?.status !== fileStatus.SUCCESS) return null;
  if (made.id !== record.id) await discard(server, object.path);
  return toStored(made);
}
