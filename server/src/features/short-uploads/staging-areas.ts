// Staging areas of short uploads: an area is a folder in the object store and a range of record ids, reserved in one
// commit for many files, before their objects are referenced. Objects left when the area closes come from a crashed
// server, and are deleted.
import type { Key } from '../../platform/db/tables.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Platform, Server } from '../../platform/server.ts';
import { reserveFileIds } from '../files/index.ts';
import { listNotedPaths } from '../stored-objects/index.ts';
import { closeStagingAreas, deleteStagingArea, insertStagingArea } from './queries.ts';

/** An area accepts new objects for one hour; the last one has another hour to be stored. */
const takenForMs = 3600_000;
const openForMs = 2 * takenForMs;
const filesPerArea = 1000;

export const sweepJobKind = 'short-uploads.sweep';
const sweptAtOnce = 500;

type StagingArea = { readonly id: Key; readonly prefix: string; readonly fileIds: Key[]; readonly takenUntil: number };

export type Slot = {
  readonly areaId: Key;
  /** The id of the future record. */
  readonly fileId: Key;
  /** The path of its object; unique. */
  readonly path: string;
};

type Reserves = Pick<Platform, 'database' | 'clock'>;

export class StagingAreas {
  readonly #server: Reserves;
  #area: Promise<StagingArea> | null = null;

  constructor(server: Reserves) {
    this.#server = server;
  }

  async take(): Promise<Slot> {
    for (;;) {
      this.#area ??= openStagingArea(this.#server);
      const current = this.#area;
      const area = await current.catch(error => {
        this.#forget(current);
        throw error;
      });
      const fileId = this.#server.clock.now() < area.takenUntil ? area.fileIds.pop() : undefined;
      if (fileId !== undefined) return { areaId: area.id, fileId, path: `${area.prefix}${fileId}` };
      this.#forget(current);
    }
  }

  #forget(area: Promise<StagingArea>): void {
    if (this.#area === area) this.#area = null;
  }
}

async function openStagingArea({ database, clock }: Reserves): Promise<StagingArea> {
  const now = clock.now();
  const prefix = `short/${randomBase62(24)}/`;
  return database.db.transaction().execute(async tx => {
    const id = await insertStagingArea(tx, prefix, now + openForMs);
    const fileIds = await reserveFileIds(tx, database.kind, filesPerArea);
    return { id, prefix, fileIds: fileIds.reverse(), takenUntil: now + takenForMs };
  });
}

export const sweepStagingAreas = ({
  database,
  clock,
  objects,
}: Pick<Server, 'database' | 'clock' | 'objects'>): JobHandler => ({
  kind: sweepJobKind,
  leaseSeconds: 300,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(30, 300),
  run: async ({ signal }) => {
    const sweep = async (paths: readonly string[]): Promise<void> => {
      signal.throwIfAborted();
      const noted = await listNotedPaths(database.db, paths);
      await inParallel(
        paths.filter(path => !noted.has(path)),
        path => objects.delete(path),
      );
    };
    for (const { id, prefix } of await closeStagingAreas(database.db, clock.now())) {
      const found: string[] = [];
      for await (const { key } of objects.list(prefix)) {
        found.push(key);
        if (found.length === sweptAtOnce) await sweep(found.splice(0));
      }
      await sweep(found);
      await deleteStagingArea(database.db, id);
    }
  },
});
