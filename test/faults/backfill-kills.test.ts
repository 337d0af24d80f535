// Repeated kills of an import, a scan and an application at work. In the end every record exists once, and every valid
// one has one manifest, whichever process wrote it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackfillRun } from '@recordproof/shared/api/backfill.ts';
import { expect, test } from 'vitest';
import { openMovableClock, Person, startApp } from '../support/app.ts';
import { generousRates } from '../support/installation.ts';
import { kinds, makeLegacy, readBackfill, startBackfill, toLines } from '../support/legacy-world.ts';
import { programs, type ServerProcess, startServerProcess } from '../support/server-process.ts';

const records = Number(process.env.LEGACY_RECORDS ?? 10 * Object.keys(kinds).length);
const kills = Number(process.env.KILLS ?? 3);
const patience = { timeout: 300_000, interval: 20 };

const env = {
  ...generousRates, // the run is polled every 20 ms
  BACKFILL_APPLY_ENABLED: 'true',
  BACKFILL_CLAIM_LEASE_SECONDS: '10',
  BACKFILL_RUN_LEASE_SECONDS: '10',
  BACKFILL_WORKER_DELAY_SECONDS: '1',
  BACKFILL_CLAIM_SIZE: '2',
};

type LegacyServer = { readonly folder: string; readonly token: string };

/** Objects and accounts of the older system, and the file that describes them. */
async function prepare(folder: string): Promise<LegacyServer> {
  await using app = await startApp({ engine: 'sqlite', folder, clock: openMovableClock(Date.now()) });
  await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  await writeFile(join(folder, 'records.ndjson'), toLines(await makeLegacy(app, 'ada', records)));
  return { folder, token: root.token ?? '' };
}

/** Returns its output; null if it was killed before its end. */
async function runImport({ folder }: LegacyServer, killAfterMs?: number): Promise<string | null> {
  const args = [programs.sources, 'import-legacy', join(folder, 'records.ndjson'), '--json', '--data', folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', part => (printed += part));
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return code === null ? null : printed;
}

const startServer = ({ folder }: LegacyServer) => startServerProcess({ folder, env, program: programs.sources });
const rootOf = ({ url }: ServerProcess, { token }: LegacyServer) => new Person('root', url, token);

/** Kills it at work, as often as possible; the last server lives until the run is over. */
async function killUntilOver(
  legacy: LegacyServer,
  world: { server: ServerProcess },
  run: BackfillRun,
): Promise<BackfillRun> {
  const read = () => readBackfill(rootOf(world.server, legacy), run);
  let seen = await read();
  for (let killed = 0; killed < kills && seen.completedAt === null; killed += 1) {
    const before = seen.remainingCount;
    const poll = async () => {
      seen = await read();
      return seen.completedAt !== null || (seen.discoveryCompleted && seen.remainingCount !== before);
    };
    await expect.poll(poll, patience).toBe(true);
    await world.server.kill();
    world.server = await startServer(legacy);
  }
  await expect.poll(async () => (await read()).completedAt, patience).not.toBeNull();
  return read();
}

test('import and backfill runs that are killed process every record once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-backfill-'));
  try {
    const legacy = await prepare(folder);
    for (let killed = 1; killed <= kills; killed += 1) await runImport(legacy, 1000 * killed);
    const sum = JSON.parse((await runImport(legacy)) ?? '{}');
    expect(sum.imported + sum.known).toBe(records);
    expect(sum.refused).toBe(0);
    const world = { server: await startServer(legacy) };
    try {
      const scanned = await startBackfill(rootOf(world.server, legacy), { mode: 'SCAN' });
      const scan = await killUntilOver(legacy, world, scanned);
      expect(scan).toMatchObject({ status: 'SNAPSHOT_READY', totalCount: records, failedCount: 0 });
      const begun = await startBackfill(rootOf(world.server, legacy), { mode: 'APPLY', snapshotRunId: scan.runId });
      const applied = await killUntilOver(legacy, world, begun);
      const proven = scan.reasons.find(({ reason }) => reason === 'CONTENT_PROVEN')?.count;
      expect(applied).toMatchObject({ status: 'COMPLETED', totalCount: proven, backfilledCount: proven });
    } finally {
      await world.server[Symbol.asyncDispose]();
    }
    const clock = openMovableClock(Date.now()); // the servers have written to the ledger with the machine's clock
    await using app = await startApp({ engine: 'sqlite', folder, clock, env: { BACKFILL_WORKER_ENABLED: 'false' } });
    const rows = await app.app.database.db.selectFrom('manifest').select('file_id').distinct().execute();
    const all = await app.app.database.db.selectFrom('manifest').select('id').execute();
    expect(all).toHaveLength(rows.length);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
