// Trays: staging of short uploads before their objects are referenced. A tray is a folder in the object store and a
// range of record ids, reserved in one commit for many files. What is left when the tray closes comes from a crashed
// server, and is deleted.
import type { Key } from '../../platform/db/tables.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Platform, Server } from '../../platform/server.ts';
import { reserveFileIds } from '../files/index.ts';
import { listNotedPaths } from '../stored-objects/index.ts';
import { closeTrays, forgetTray, insertTray } from './queries.ts';

/** A tray accepts new objects for one hour; the last one has another hour to be stored. */
const takenForMs = 3600_000;
const openForMs = 2 * takenForMs;
const filesPerTray = 1000;

export const sweepJobKind = 'short-uploads.sweep';
const sweptAtOnce = 500;

type Tray = { readonly id: Key; readonly place: string; readonly fileIds: Key[]; readonly takenUntil: number };

export type Slot = {
  readonly trayId: Key;
  /** The id of the future record. */
  readonly fileId: Key;
  /** The path of its object; unique. */
  readonly path: string;
};

type Reserves = Pick<Platform, 'database' | 'clock'>;

export class Trays {
  readonly #server: Reserves;
  #tray: Promise<Tray> | null = null;

  constructor(server: Reserves) {
    this.#server = server;
  }

  async take(): Promise<Slot> {
    for (;;) {
      this.#tray ??= openTray(this.#server);
      const current = this.#tray;
      const tray = await current.catch(error => {
        this.#forget(current);
        throw error;
      });
      const fileId = this.#server.clock.now() < tray.takenUntil ? tray.fileIds.pop() : undefined;
      if (fileId !== undefined) return { trayId: tray.id, fileId, path: `${tray.place}${fileId}` };
      this.#forget(current);
    }
  }

  #forget(tray: Promise<Tray>): void {
    if (this.#tray === tray) this.#tray = null;
  }
}

async function openTray({ database, clock }: Reserves): Promise<Tray> {
  const now = clock.now();
  const place = `short/${randomBase62(24)}/`;
  return database.db.transaction().execute(async tx => {
    const id = await insertTray(tx, place, now + openForMs);
    const fileIds = await reserveFileIds(tx, database.kind, filesPerTray);
    return { id, place, fileIds: fileIds.reverse(), takenUntil: now + takenForMs };
  });
}

export const sweepTrays = ({
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
    for (const { id, place } of await closeTrays(database.db, clock.now())) {
      const found: string[] = [];
      for await (const { key } of objects.list(place)) {
        found.push(key);
        if (found.length === sweptAtOnce) await sweep(found.splice(0));
      }
      await sweep(found);
      await forgetTray(database.db, id);
    }
  },
});
