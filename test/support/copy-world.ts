// Files that are given and copied over a real database, key file and ledger, with the saga that makes the copies.
import { readConfig } from '@recordproof/server/config/config.ts';
import { type FileRecords, openLedgerRecords } from '@recordproof/server/features/chain/index.ts';
import { copies, copyFiles, type Giver } from '@recordproof/server/features/copies/index.ts';
import { findFileKey, sealFor, storeEnvelopes, toSubject } from '@recordproof/server/features/envelopes/index.ts';
import type { FileRow } from '@recordproof/server/features/files/index.ts';
import type { KeyProvider } from '@recordproof/server/platform/crypto/envelope.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import { openHooks } from '@recordproof/server/platform/hooks.ts';
import type { Actor } from '@recordproof/server/platform/http/caller.ts';
import { openWorker } from '@recordproof/server/platform/jobs/worker.ts';
import { openSagas } from '@recordproof/server/platform/saga/open-sagas.ts';
import type { Server } from '@recordproof/server/platform/server.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { type FileWorld, openFileWorld, wideQuota } from './file-world.ts';
import { newLedgerKey, openTestLedger } from './ledgers.ts';
import { smallServer } from './small-server.ts';

export const giftCode = 'gift';
const from = { ip: '127.0.0.1', url: '/test', method: 'POST', startedAt: 0 };

export type CopyWorld = AsyncDisposable & {
  readonly world: FileWorld;
  readonly keys: KeyProvider;
  readonly records: FileRecords;
  /** Changed by tests. */
  readonly server: { -readonly [K in keyof Server]: Server[K] };
  /** Called by the giver in the transaction that stores. */
  readonly giver: { confirm: Giver['confirm'] };
  /** Opens the file for the holder of the gift. */
  give(file: FileRow): Promise<void>;
  save(saver: Actor, ...files: FileRow[]): Promise<FileRow[]>;
  canOpen(file: FileRow): Promise<boolean>;
  drain(): Promise<void>;
};

const defaults = await readConfig([], {});

export async function openCopyWorld(database: Database): Promise<CopyWorld> {
  const world = await openFileWorld(database);
  const { db, clock, keyProvider: keys } = world;
  const ledger = await openTestLedger(db, world.objects, newLedgerKey(), clock);
  const records = openLedgerRecords(ledger);
  const giver = { type: 'SHARE' as const, confirm: async () => undefined };
  const server = smallServer({
    ...world,
    log: silentLog,
    records,
    config: { ...defaults, quota: wideQuota },
    hooks: openHooks([{ hooks: { giver } }]),
    sagas: {
      runNow: (id, signal) => sagas.runNow(id, signal),
      countEnd: (status, seconds) => sagas.countEnd(status, seconds),
    },
  });
  const common = { db, engine: database.kind, clock, log: silentLog };
  const sagas = openSagas({
    ...common,
    sagas: copies.open?.(server).sagas ?? [],
    runJob: id => worker.runNow(id),
  });
  const worker = openWorker({ ...common, handlers: sagas.handlers, schedules: [] });
  return {
    world,
    keys,
    records,
    server,
    giver,
    give: file => giveTo(world, file),
    save: (actor, ...sources) => {
      const gift = { type: 'SHARE', id: giftCode } as const;
      const signal = AbortSignal.timeout(60_000);
      return copyFiles(server, { ...from, actor }, { sources, gift, userAgent: null, signal });
    },
    canOpen: file => canOwnerOpen(world, file),
    drain: () => worker.drain(),
    [Symbol.asyncDispose]: async () => {
      await worker.stop(1000);
      await ledger[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

const nonceOf = (file: FileRow) => Buffer.from(file.file_nonce ?? '', 'hex');

async function giveTo(world: FileWorld, file: FileRow): Promise<void> {
  const { db, clock, dataKeys } = world;
  const dataKey = dataKeys.get(file.id);
  if (dataKey === undefined) throw new Error('the file is not of this world');
  const sealed = await sealFor(
    world,
    { dataKey, fileNonce: nonceOf(file) },
    toSubject(file, { type: 'SHARE', id: giftCode }),
  );
  await db.transaction().execute(tx => storeEnvelopes(tx, [sealed], clock.now()));
}

/** Whether the owner's envelope opens to the same key as the original's. */
async function canOwnerOpen(world: FileWorld, file: FileRow): Promise<boolean> {
  const { db, dataKeys } = world;
  const { dataKey } = await findFileKey(db, world, file, { type: 'OWNER', id: String(file.owner_id) });
  return dataKeys.get(file.source_file_id ?? 0)?.equals(dataKey) === true;
}
