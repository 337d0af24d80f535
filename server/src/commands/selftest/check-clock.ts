// Selftest of the clock: compared with those of the database, the object store and the time authorities, and with the
// newest ledger entry.
import { sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import { findClockProblem, findLog } from '../../features/chain/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { openDatabase } from '../../platform/db/open-db.ts';
import { type Check, failed, ok, runCheck, skipped } from './check.ts';

/** The Date header of a response has whole seconds. */
const mostSkewMs = 3000;
const timeoutMs = 5000;
const remedy = 'Run a time service (chrony, systemd-timesyncd) on every machine: times in proofs follow this clock.';

type Skew = { readonly of: string; readonly skewMs: number };

export const checkClock = (config: Config, clock: Clock): Promise<Check> =>
  runCheck('clock', remedy, async () => {
    const { skews, behind } = await askDatabase(config, clock);
    skews.push(...(await askServers(config, clock)));
    const far = skews.filter(({ skewMs }) => Math.abs(skewMs) > mostSkewMs);
    const listSkews = (some: readonly Skew[]) =>
      some.map(({ of, skewMs }) => `${(skewMs / 1000).toFixed(1)} s ahead of ${of}`).join(', ');
    if (behind !== undefined) return failed(behind, remedy);
    if (far.length > 0) return failed(`this clock is ${listSkews(far)}`, remedy);
    return skews.length === 0
      ? skipped('nothing answers that has a clock of its own')
      : ok(`it is ${listSkews(skews)}`);
  });

type ClockResults = { readonly skews: Skew[]; readonly behind: string | undefined };

/** Empty if the database does not answer: another check reports that. */
async function askDatabase({ db: options }: Config, clock: Clock): Promise<ClockResults> {
  try {
    await using database = await openDatabase(options);
    const log = await findLog(database.db);
    const behind = log === null ? undefined : findClockProblem(clock.now(), log.recorded_until);
    if (options.kind === 'sqlite') return { skews: [], behind };
    const askedAt = clock.now();
    const { rows } = await sql<{ now: string }>`
      select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(database.db);
    const skewMs = (askedAt + clock.now()) / 2 - Number(rows[0]?.now);
    return { skews: [{ of: 'the database', skewMs }], behind };
  } catch {
    return { skews: [], behind: undefined };
  }
}

async function askServers({ objects, ledger }: Config, clock: Clock): Promise<Skew[]> {
  const servers = [
    ...(objects.kind === 's3' ? objects.endpoints.map(url => ({ of: 'the object store', url })) : []),
    ...ledger.authorities.map(({ name, url }) => ({ of: `the time authority ${name}`, url })),
  ];
  const skews = await Promise.all(servers.map(({ of, url }) => askServer(of, url, clock)));
  return skews.flatMap(skew => (skew === null ? [] : [skew]));
}

/** By the Date header of any response; null without one. */
async function askServer(of: string, url: string, clock: Clock): Promise<Skew | null> {
  const askedAt = clock.now();
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal }).catch(() => null);
  const date = Date.parse(response?.headers.get('date') ?? '');
  return Number.isNaN(date) ? null : { of, skewMs: (askedAt + clock.now()) / 2 - (date + 500) };
}
