// Benchmark of a folder of small files by the command line, within the rate limits of the profile `server`: uploaded,
// downloaded again and compared; and another one proven, in batches as with the profile `laptop`, until every archive
// exists.
// Run: node test/bench/folder.ts [files]
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Person } from '../support/app.ts';
import { printFigures } from '../support/bench-figures.ts';
import { pattern } from '../support/bytes.ts';
import { startServerProcess } from '../support/server-process.ts';

const [count = 10_000] = process.argv.slice(2).map(Number);
const admin = { username: 'alice', email: 'alice@example.org', password: 'correct horse battery' };
const launcher = fileURLToPath(new URL('../../cli/bin/recordproof.mjs', import.meta.url));
const filesPerFolder = 100;

async function writeTree(folder: string, seed: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const below = join(folder, `part-${Math.floor(index / filesPerFolder)}`);
    if (index % filesPerFolder === 0) mkdirSync(below, { recursive: true });
    writeFileSync(join(below, `${index}.bin`), await pattern(randomInt(1024, 50 * 1024), seed + index));
  }
}

/** The number of files of the first tree that are the same in the second. */
function countSame(first: string, second: string): number {
  const names = readdirSync(first, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  return names.filter(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return readFileSync(path).equals(readFileSync(join(second, path.slice(first.length))));
  }).length;
}

const countFiles = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile()).length;

async function runCli(home: string, token: string, url: string, args: readonly string[]): Promise<number> {
  const env = { PATH: process.env.PATH ?? '', HOME: home, RECORDPROOF_SERVER: url, RECORDPROOF_TOKEN: token };
  const started = performance.now();
  const child = spawn(process.execPath, [launcher, ...args], { env, cwd: home, stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${told.slice(0, 2000)}`);
  const seconds = (performance.now() - started) / 1000;
  const lines = told.trim().split('\n');
  const waits = lines.filter(line => line.includes('waiting for'));
  console.log(`${args[0]}: ${seconds.toFixed(1)} s: ${lines.at(-1)}`);
  for (const wait of waits) console.log(`  ${wait}`);
  return seconds;
}

const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
try {
  const env = {
    RECORDPROOF_PROFILE: 'server',
    QUOTA_MODE: 'SHADOW', // twice as many files as an account may have by default
    ATTESTATION_PRODUCTION_ENABLED: 'true',
    ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '1',
    ATTESTATION_PRODUCTION_MAX_WAIT_SECONDS: '5',
    RECORDPROOF_ADMIN_USERNAME: admin.username,
    RECORDPROOF_ADMIN_EMAIL: admin.email,
    RECORDPROOF_ADMIN_PASSWORD: admin.password,
  };
  await using server = await startServerProcess({ folder: join(folder, 'data'), env });
  const alice = new Person('alice', server.url);
  await alice.login(admin.username, admin.password);
  const run = (...args: string[]) => runCli(folder, alice.token ?? '', server.url, args);
  await writeTree(join(folder, 'tree'), 1);
  const uploaded = await run('upload', 'tree');
  const downloaded = await run('download', '--folder', 'tree', '-o', 'back/');
  const same = countSame(join(folder, 'tree'), join(folder, 'back', 'tree'));
  await writeTree(join(folder, 'proven'), count + 1);
  mkdirSync(join(folder, 'proofs'));
  await pass(60_000); // the rate limit of uploads is per minute
  const proved = await run('prove', 'proven', '-o', 'proofs/');
  printFigures(`${count} files of 1 to 50 KiB`, [
    { name: 'uploaded', unit: 's', samples: uploaded },
    { name: 'downloaded', unit: 's', samples: downloaded, note: `${same} are the same` },
    { name: 'proven', unit: 's', samples: proved, note: `${countFiles(join(folder, 'proofs'))} archives` },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
