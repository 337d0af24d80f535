// Move of a whole installation from its data folder to PostgreSQL, a bucket, or both. The folder is only read, and
// stays the installation until the final step. An interrupted move resumes with the next call.
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
import type { ComparedTable } from '../../platform/db/move-rows.ts';
import { endMove, findOpenMove, MoveError } from '../../platform/db/move-rows.ts';
import type { Database } from '../../platform/db/open-db.ts';
import { hasOtherServers } from '../../platform/db/presence.ts';
import { rejectUnfinished, takeLock } from '../../platform/installation.ts';
import { forgetMove, markMoved, markMoving, type UnderWay } from '../../platform/move-mark.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { CopiedObjects } from '../backup/copy-objects.ts';
import { Problems, type Verified, verifyChains } from '../backup/verify-installation.ts';
import { askTarget, findObstacles } from './check-move.ts';
import { moveDatabase, rejectOtherConnections } from './move-database.ts';
import { moveObjects } from './move-objects.ts';
import { type MovePlan, toSource } from './plan-move.ts';
import type { Progress } from './progress.ts';

export type Moved = {
  readonly tables: readonly ComparedTable[];
  readonly objects: CopiedObjects | null;
  readonly chains: Pick<Verified, 'ledger' | 'auditChains'>;
  /** Problems of ledger or audit log, which existed before the move. */
  readonly problems: readonly string[];
};

type MoveContext = {
  readonly config: Config;
  readonly plan: MovePlan;
  readonly source: Schema;
  /** The store of the settings. */
  readonly store: ObjectStore;
  readonly progress: Progress;
  /** Disposes of everything that was opened. */
  readonly opened: AsyncDisposableStack;
};

/** Null if an earlier call did everything but the final mark. */
export async function moveInstallation(config: Config, plan: MovePlan, progress: Progress): Promise<Moved | null> {
  await using opened = new AsyncDisposableStack();
  await lockInstallation(config, opened);
  const source = await openInstallation(toSource(config, plan), migrations, { isWriter: true });
  opened.use(source.database);
  if (plan.database === null) await rejectOtherServers(source.database);
  const store = opened.use(await openStoreOf(config, source.keys));
  const isOver = plan.underWay !== null && (await wasEnded(config, plan.underWay));
  const underWay = plan.underWay ?? (await begin(config, plan, store));
  if (plan.database !== null) await rejectRunningCommands(config, plan, source.database);
  const moved = isOver ? null : await moveAll({ config, plan, source, store, progress, opened }, underWay);
  await markMoved(config.dataFolder, underWay, systemClock.now());
  return moved;
}

/** Locks the data folder against servers until this process ends, however it ends. */
async function lockInstallation({ dataFolder }: Config, opened: AsyncDisposableStack): Promise<void> {
  rejectUnfinished(dataFolder);
  const busy = `a server or another move is at work on ${dataFolder}; stop it: an installation moves while nothing works on it.`;
  const lock = await takeLock(join(dataFolder, 'server.lock'), busy);
  opened.defer(() => void lock.close());
}

async function rejectOtherServers({ kind, db }: Database): Promise<void> {
  if (kind === 'sqlite' || !(await hasOtherServers(db))) return;
  throw new MoveError(
    'servers are running on the database of DATABASE_URL; stop them before you move the installation.',
  );
}

async function begin(config: Config, plan: MovePlan, store: ObjectStore): Promise<UnderWay> {
  const [obstacle] = await findObstacles(config, plan, store);
  if (obstacle !== undefined) throw new MoveError(obstacle);
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

/** The mark rejects commands from now on; those that began before it have the database open. */
async function rejectRunningCommands({ dataFolder }: Config, plan: MovePlan, source: Database): Promise<void> {
  await source.close();
  try {
    if (plan.database !== null) rejectOtherConnections(plan.database.from.path);
  } catch (error) {
    if (plan.underWay === null) await forgetMove(dataFolder);
    throw error;
  }
}

/** The target database was released to servers, but the folder's mark was not written. */
const wasEnded = async (config: Config, { isProven, database }: UnderWay): Promise<boolean> =>
  isProven && database !== null && (await askTarget(config, findOpenMove)) === null;

async function moveAll(ground: MoveContext, underWay: UnderWay): Promise<Moved> {
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

async function bringDatabase(
  { config, plan, source, progress, opened }: MoveContext,
  { id }: UnderWay,
): Promise<Brought> {
  if (plan.database === null) return { database: source.database, tables: [] };
  const { path } = plan.database.from;
  const brought = await withDatabase(config.db, async database => ({
    database,
    tables: await moveDatabase(database, { path, id, progress }),
  }));
  opened.use(brought.database);
  return brought;
}

async function bringObjects(
  { config, plan, source, store, progress }: MoveContext,
  { db }: Database,
): Promise<CopiedObjects> {
  const { keys, installationId } = source;
  const old = { ...config, objects: plan.objects?.from ?? config.objects };
  await using from = await openStoreOf(old, keys);
  return await moveObjects({ db, keys, from, to: store, isEmpty: plan.underWay === null, installationId, progress });
}

/** Auditors must see that the installation has moved. */
const handOver = ({ db }: Database, { database, objects }: MovePlan, moved: Moved): Promise<void> =>
  db.transaction().execute(async tx => {
    const now = systemClock.now();
    const call = localCall('migrate', await getDefaultTenant(tx), now);
    await recordAudit(tx, call, now, 'server.migrate', 'installation moved to other stores on the server', {
      database: database?.to ?? null,
      rows: moved.tables.reduce((sum, { rows }) => sum + rows, 0),
      objects: objects?.to ?? null,
      moved: moved.objects?.count ?? 0,
    });
    if (database !== null) await endMove(tx);
  });
