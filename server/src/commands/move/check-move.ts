// `migrate move --check`: what a move would do, and its obstacles, also while a server runs. Read-only.
import { migrations } from '../../compose/features.ts';
import { openInstallation } from '../../compose/open-schema.ts';
import { openStoreOf } from '../../compose/open-store.ts';
import type { Config } from '../../config/config.ts';
import { countStored } from '../../features/stored-objects/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { countRows } from './move-database.ts';
import { findObstacles } from './obstacles.ts';
import { type MovePlan, toSource } from './plan-move.ts';

type Check = {
  readonly database: { readonly to: string; readonly rows: number } | null;
  readonly objects: { readonly to: string; readonly count: number; readonly bytes: number } | null;
  /** Start of an unfinished move. */
  readonly startedAt: string | null;
  readonly obstacles: readonly string[];
};

export async function checkMove(config: Config, plan: MovePlan): Promise<Check> {
  const source = await openInstallation(toSource(config, plan), migrations);
  await using opened = new AsyncDisposableStack();
  opened.defer(() => source.database.close());
  const store = opened.use(await openStoreOf(config, source.keys, () => '', systemClock));
  const { database, objects, underWay } = plan;
  return {
    database: database && { to: database.to, rows: countRows(database.from.path) },
    objects: objects && { to: objects.to, ...(await countStored(source.database.db)) },
    startedAt: underWay?.startedAt ?? null,
    obstacles: underWay === null ? await findObstacles(config, plan, store) : [],
  };
}

export function toLines({ database, objects, startedAt, obstacles }: Check): string {
  const lines = [
    ...(database === null ? [] : [`database  ${database.rows} rows to ${database.to}`]),
    ...(objects === null
      ? []
      : [`objects   ${objects.count} (${objects.bytes} bytes), and parts of unfinished uploads, to ${objects.to}`]),
    ...(startedAt === null ? [] : [`started at ${startedAt}; "migrate move" continues it`]),
    ...obstacles.map(line => `REFUSED   ${line}`),
  ];
  return lines.map(line => `${line}\n`).join('');
}
