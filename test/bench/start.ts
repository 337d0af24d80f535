// Benchmark of the server's start: time until its readiness probe answers 200, on an existing data folder, against a
// Node that does nothing; and its memory without calls. Run: npm run bench start, or node test/bench/start.ts [rounds]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inTurns, printFigures } from '../support/bench-figures.ts';
import { residentOf } from '../support/large-proof.ts';
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

async function measureMemory(): Promise<void> {
  await using server = await startServerProcess({ folder });
  await delay(idleSeconds * 1000);
  const rollup = readFileSync(`/proc/${server.pid}/smaps_rollup`, 'utf8');
  printFigures(`idle for ${idleSeconds} s`, [
    { name: 'RSS', unit: 'MiB', samples: residentOf(server.pid) },
    { name: 'PSS', unit: 'MiB', samples: Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) / 1024 },
  ]);
}

try {
  await (await startServerProcess({ folder, env: admin }))[Symbol.asyncDispose](); // creates the folder
  for (const program of Object.values(programs)) await timeStart(program); // fills the compile cache
  const { bare, installed, sources } = await inTurns(rounds, {
    bare: timeBareNode,
    installed: () => timeStart(programs.installed),
    sources: () => timeStart(programs.sources),
  });
  const references = { 'node -e 0': bare, '(3 × node -e 0 + 150 ms)': bare.map(ms => 3 * ms + 150) };
  printFigures('ready on an existing data folder', [
    { name: 'recordproof-server', unit: 'ms', samples: installed, references },
    { name: 'node server/src/main.ts', unit: 'ms', samples: sources, references },
  ]);
  if (process.platform === 'linux') await measureMemory();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
