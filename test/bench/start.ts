// How long the server takes until its readiness probe says 200, on a data folder that exists, against a Node that does
// nothing; and how much memory it holds when nobody calls. Run: npm run bench start, or node test/bench/start.ts [rounds]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inTurns, median, printTable, toSpread } from '../support/rounds.ts';
import { programs, startServerProcess, timeBareNode } from '../support/server-process.ts';

const rounds = Number(process.argv[2] ?? 10);
const idleSeconds = 8;
const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
const admin = {
  RECORDPROOF_ADMIN_USERNAME: 'admin',
  RECORDPROOF_ADMIN_EMAIL: 'admin@example.org',
  RECORDPROOF_ADMIN_PASSWORD: 'correct horse battery',
};

async function timeStart(program: string): Promise<number> {
  await using server = await startServerProcess({ folder, program });
  return server.readyMs;
}

const readKibibytes = (path: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(path, 'utf8'))?.[1]);

async function printMemory(): Promise<void> {
  await using server = await startServerProcess({ folder });
  await delay(idleSeconds * 1000);
  const resident = readKibibytes(`/proc/${server.pid}/status`, 'VmRSS') / 1024;
  const proportional = readKibibytes(`/proc/${server.pid}/smaps_rollup`, 'Pss') / 1024;
  console.log(`\nidle for ${idleSeconds} s: RSS ${resident.toFixed(0)} MiB, PSS ${proportional.toFixed(0)} MiB`);
}

try {
  await (await startServerProcess({ folder, env: admin }))[Symbol.asyncDispose](); // makes the folder
  for (const program of Object.values(programs)) await timeStart(program); // fills the cache of compiled code
  const { bare, installed, sources } = await inTurns(rounds, {
    bare: timeBareNode,
    installed: () => timeStart(programs.installed),
    sources: () => timeStart(programs.sources),
  });
  const allowed = 3 * median(bare) + 150;
  console.log(`ready on an existing data folder, ms: median of ${rounds} (lowest to highest)\n`);
  printTable([
    ['node -e 0', toSpread(bare)],
    ['recordproof-server', toSpread(installed)],
    ['node server/src/main.ts', toSpread(sources)],
    ['3 × node -e 0 + 150', allowed.toFixed(0)],
  ]);
  console.log(`\nrecordproof-server takes ${(median(installed) / allowed).toFixed(2)} of 3 × node -e 0 + 150 ms`);
  if (process.platform === 'linux') await printMemory();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
