// A whole installation from its data folder to PostgreSQL, to a bucket, or to both. What is in the folder is read and never changed:
// until the last line it is the installation, and the new place is nobody's. Whatever ends it, the next call goes on.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { migrations } from '../../compose/features.ts';
import { openInstallation, type Schema, withDatabase } from '../../compose/open-schema.ts';
import { openStoreOf } from '../../compose/open-store.ts';
import type { Config } from '../../config/config.ts';
import { getDefaultTenant } from '../../features/accounts/index.ts';
import { recordAudit } from '../../features/audit/index.ts';
import { localCall } from '../../platform/call.ts';
import { systemClock, toIso } from '../../platform/clock.ts';
import type { ComparedTable } from '../../platform/db/compare-rows.ts';
import { endMove, findOpenMove, MoveRefused } from '../../platform/db/move-rows.ts';
import type { Database } from '../../platform/db/open-db.ts';
import { hasOtherServers } from '../../platform/db/other-servers.ts';
import { refuseUnfinished, takeLock } from '../../platform/installation.ts';
import { markMoved, markMoving, type UnderWay } from '../../platform/move-mark.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { CopiedObjects } from '../backup/copy-objects.ts';
import { Problems, type Verified, verifyChains } from '../backup/verify-installation.ts';
import { moveDatabase } from './move-database.ts';
import { moveObjects } from './move-objects.ts';
import { askTarget, findObstacles } from './obstacles.ts';
import { type MovePlan, toSource } from './plan-move.ts';
import type { Progress } from './progress.ts';

export type Moved = {
  readonly tables: readonly ComparedTable[];
  readonly objects: CopiedObjects | null;
  readonly chains: Pick<Verified, 'ledger' | 'auditChains'>;
  /** What does not hold in ledger or audit log, and so did not hold before. */
  readonly problems: readonly string[];
};

type Ground = {
  readonly config: Config;
  readonly plan: MovePlan;
  readonly source: Schema;
  /** Of the settings. */
  readonly store: ObjectStore;
  readonly progress: Progress;
  /** Closes what is opened. */
  readonly opened: AsyncDisposableStack;
};

/** Null where an earlier call had come to everything but its last line. */
export async function moveInstallation(config: Config, plan: MovePlan, progress: Progress): Promise<Moved | null> {
  await using opened = new AsyncDisposableStack();
  await holdInstallation(config, opened);
  const source = await openInstallation(toSource(config, plan), migrations);
  opened.defer(() => source.database.close());
  if (plan.database === null) await refuseOtherServers(source.database);
  const store = opened.use(await openStoreOf(config, source.keys, () => '', systemClock));
  const isOver = plan.underWay !== null && (await wasEnded(config, plan.underWay));
  const underWay = plan.underWay ?? (await begin(config, plan, store));
  const moved = isOver ? null : await moveAll({ config, plan, source, store, progress, opened }, underWay);
  await markMoved(config.dataFolder, underWay, systemClock.now());
  return moved;
}

/** No server runs on the folder until this process ends, however it ends. */
async function holdInstallation({ dataFolder }: Config, opened: AsyncDisposableStack): Promise<void> {
  refuseUnfinished(dataFolder);
  const busy = `a server or another move is at work on ${dataFolder}; stop it: an installation moves while nothing works on it.`;
  const lock = await takeLock(join(dataFolder, 'server.lock'), busy);
  opened.defer(() => void lock.close());
}

async function refuseOtherServers({ kind, db }: Database): Promise<void> {
  if (kind === 'sqlite' || !(await hasOtherServers(db))) return;
  throw new MoveRefused(
    'servers are at work on the database of DATABASE_URL; stop them: an installation moves while nothing works on it.',
  );
}

async function begin(config: Config, plan: MovePlan, store: ObjectStore): Promise<UnderWay> {
  const [obstacle] = await findObstacles(config, plan, store);
  if (obstacle !== undefined) throw new MoveRefused(obstacle);
  const underWay: UnderWay = {
    id: randomUUID(),
    startedAt: toIso(systemClock.now()),
    database: plan.database?.to ?? null,
    objects: plan.objects?.to ?? null,
    isProven: false,
  };
  await markMoving(config.dataFolder, underWay);
  return underWay;
}

/** The database was handed over to servers, and nobody has noted it in the folder. */
const wasEnded = async (config: Config, { isProven, database }: UnderWay): Promise<boolean> =>
  isProven && database !== null && (await askTarget(config, findOpenMove)) === null;

async function moveAll(ground: Ground, underWay: UnderWay): Promise<Moved> {
  const { config, plan, source, store, progress } = ground;
  const { database, tables } = await bringDatabase(ground, underWay);
  const { db } = database;
  const objects = plan.objects === null ? null : await bringObjects(ground, database);
  progress.tell('verifying ledger and audit log');
  const problems = new Problems();
  const chains = await verifyChains({ db, objects: store, keys: source.keys }, problems);
  const moved = { tables, objects, chains, problems: problems.list() };
  await markMoving(config.dataFolder, { ...underWay, isProven: true });
  await handOver(database, plan, moved);
  return moved;
}

type Brought = { readonly database: Database; readonly tables: readonly ComparedTable[] };

async function bringDatabase({ config, plan, source, progress, opened }: Ground, { id }: UnderWay): Promise<Brought> {
  if (plan.database === null) return { database: source.database, tables: [] };
  const { path } = plan.database.from;
  const brought = await withDatabase(config.db, async database => ({
    database,
    tables: await moveDatabase(database, { path, id, progress }),
  }));
  opened.defer(() => brought.database.close());
  return brought;
}

async function bringObjects(
  { config, plan, source, store, progress }: Ground,
  { db }: Database,
): Promise<CopiedObjects> {
  const { keys, installationId } = source;
  const old = { ...config, objects: plan.objects?.from ?? config.objects };
  await using from = await openStoreOf(old, keys, () => '', systemClock);
  return await moveObjects({ db, keys, from, to: store, installationId, progress });
}

/** That everything is elsewhere from now on is for auditors to know. */
const handOver = ({ db }: Database, { database, objects }: MovePlan, moved: Moved): Promise<void> =>
  db.transaction().execute(async tx => {
    const now = systemClock.now();
    await recordAudit(
      tx,
      localCall('migrate', await getDefaultTenant(tx), now),
      now,
      'server.migrate',
      'installation moved to other stores on the server',
      {
        database: database?.to ?? null,
        rows: moved.tables.reduce((sum, { rows }) => sum + rows, 0),
        objects: objects?.to ?? null,
        moved: moved.objects?.count ?? 0,
      },
    );
    if (database !== null) await endMove(tx);
  });
