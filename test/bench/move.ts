// Benchmark of `migrate move`: an installation with many small files, from SQLite and disk to PostgreSQL and a bucket;
// undisturbed, and killed at random times and started again until it ends. Both must report the same rows.
// Run: node test/bench/move.ts [files] [kills] [folder]
import { createHash, randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { startApp } from '../support/app.ts';
import { printFigures } from '../support/bench-figures.ts';
import { whyNoCeph } from '../support/ceph.ts';
import { residentOf } from '../support/large-proof.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { runServerCommand } from '../support/run-server-command.ts';
import { s3Settings, stopS3 } from '../support/s3-settings.ts';
import { sendMany } from '../support/uploads.ts';

const [files = 2000, kills = 10] = process.argv.slice(2, 4).map(Number);
const base = process.argv[4] ?? tmpdir();
const perCall = 100;

type Env = Readonly<Record<string, string>>;
type Tables = readonly { readonly table: string; readonly rows: number; readonly sha256: string }[];
type Moved = { readonly seconds: number; readonly peakMiB: number; readonly kills: number; readonly out: string };

async function fill(folder: string): Promise<void> {
  await using app = await startApp({ engine: 'sqlite', folder });
  const alice = await app.person('alice');
  for (let first = 0; first < files; first += perCall) {
    const numbers = Array.from({ length: Math.min(perCall, files - first) }, (_, at) => first + at);
    const { data, message } = await sendMany(
      alice,
      numbers.map(number => ({ bytes: Buffer.from(`file ${number}`), name: `file-${number}.txt` })),
    );
    if (data === null) throw new Error(message);
  }
  await app.drain();
  app.clock.advance(3_600_000);
  await app.drain();
}

/** One run of the command: ended by itself, or killed after that time. */
async function runOnce(folder: string, env: Env, killAfterMs: number | null): Promise<Moved & { isOver: boolean }> {
  const started = performance.now();
  const { child, ended } = runServerCommand(['migrate', 'move', '--data', folder, '--json'], env);
  let peakMiB = 0;
  const watch = setInterval(() => (peakMiB = Math.max(peakMiB, residentOf(child.pid ?? 0, 'VmHWM'))), 100);
  const isOver = killAfterMs === null || (await Promise.race([ended.then(() => true), pass(killAfterMs, false)]));
  if (!isOver) child.kill('SIGKILL');
  const { code, out, err } = await ended;
  clearInterval(watch);
  if (isOver && code !== 0) throw new Error(err);
  return { isOver, out, peakMiB, kills: isOver ? 0 : 1, seconds: (performance.now() - started) / 1000 };
}

/** Kills are spread over the time that the whole move takes. */
async function runKilled(folder: string, env: Env, wholeSeconds: number): Promise<Moved> {
  const longestMs = Math.ceil((2 * wholeSeconds * 1000) / (kills + 1));
  let all: Moved = { seconds: 0, peakMiB: 0, kills: 0, out: '' };
  for (let isOver = false; !isOver; ) {
    const run = await runOnce(folder, env, all.kills < kills ? randomInt(500, Math.max(501, longestMs)) : null);
    isOver = run.isOver;
    all = {
      out: run.out,
      seconds: all.seconds + run.seconds,
      kills: all.kills + run.kills,
      peakMiB: Math.max(all.peakMiB, run.peakMiB),
    };
  }
  return all;
}

const toTables = ({ out }: Moved): Tables => (JSON.parse(out) as { database: { tables: Tables } }).database.tables;
const digest = (tables: Tables): string => createHash('sha256').update(JSON.stringify(tables)).digest('hex');

const whyNot = whyNoCeph();
if (whyNot !== null) {
  console.log(`left out: ${whyNot}`);
} else {
  const folder = await mkdtemp(join(base, 'recordproof-bench-move-'));
  try {
    const filling = performance.now();
    await fill(folder);
    console.log(`${files} files stored in ${((performance.now() - filling) / 1000).toFixed(0)} s`);
    const newTarget = async () => ({
      DATABASE_URL: (await (await postgres()).freshDatabase()).url,
      ...(await s3Settings()),
    });
    const undisturbed = await runOnce(folder, await newTarget(), null);
    await rm(join(folder, 'moved.json')); // as if it had never moved: it is still the source
    const killed = await runKilled(folder, await newTarget(), undisturbed.seconds);
    const same = digest(toTables(undisturbed)) === digest(toTables(killed));
    const rows = toTables(undisturbed).reduce((sum, { rows }) => sum + rows, 0);
    printFigures(`move of ${files} files to PostgreSQL and a bucket`, [
      {
        name: `killed ${kills} times`,
        unit: 's',
        samples: killed.seconds,
        references: { undisturbed: undisturbed.seconds },
        note: `${killed.kills} kills, ${same ? `the same ${rows} rows` : 'OTHER ROWS'}; wanted for 100,000 files: at most 900 s`,
      },
      {
        name: 'memory',
        unit: 'MiB',
        samples: [undisturbed.peakMiB, killed.peakMiB],
        note: 'wanted: at most 300',
      },
    ]);
    if (!same) process.exitCode = 1;
  } finally {
    await stopPostgres();
    await stopS3();
    await rm(folder, { recursive: true, force: true });
  }
}
