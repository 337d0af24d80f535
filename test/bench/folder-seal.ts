// Benchmark of the seal of a folder: hashing a tree and writing its list, against `openssl dgst -sha256` over the same
// files in the same number of threads. Run: npm run bench folder-seal, or node test/bench/folder-seal.ts [files] [MiB]
// [rounds]
import { spawn } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadCount } from '@recordproof/shared/node/threads.ts';
import { canMeasure, inTurns, printFigures } from '../support/bench-figures.ts';
import { mebibyte, residentOf } from '../support/large-proof.ts';

const files = Number(process.argv[2] ?? 100_000);
const totalSize = Number(process.argv[3] ?? 2048) * mebibyte;
const rounds = Number(process.argv[4] ?? 5);
const filesInFolder = 500;
const root = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
const tree = join(root, 'tree');
const list = join(root, 'tree.folder.json');
const child = fileURLToPath(new URL('../support/children/seal-folder.ts', import.meta.url));

/** Sizes from half of the mean to one and a half, all different. */
function makeTree(): void {
  const mean = Math.floor(totalSize / files);
  const bytes = Buffer.alloc(2 * mean);
  for (let at = 0; at < files; at += 1) {
    const folder = join(tree, String(Math.floor(at / filesInFolder)).padStart(4, '0'));
    if (at % filesInFolder === 0) mkdirSync(folder, { recursive: true });
    const size = Math.floor(mean / 2) + ((at * 7919) % Math.max(1, mean));
    randomFillSync(bytes, 0, Math.min(64, size));
    writeFileSync(join(folder, `record ${at}.dat`), bytes.subarray(0, size));
  }
}

let peakMebibytes = 0;
async function timed(program: string, args: readonly string[]): Promise<number> {
  const started = performance.now();
  const running = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const watch = setInterval(() => {
    if (program === process.execPath) peakMebibytes = Math.max(peakMebibytes, residentOf(running.pid ?? 0, 'VmHWM'));
  }, 20);
  const [code] = await once(running, 'exit');
  clearInterval(watch);
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return performance.now() - started;
}

const openssl = (): Promise<number> =>
  timed('sh', [
    '-c',
    `find "$1" -type f -print0 | xargs -0 -n 1000 -P ${threadCount} openssl dgst -sha256 > /dev/null`,
    'sh',
    tree,
  ]);

const seal = async (): Promise<number> => {
  rmSync(list, { force: true });
  return await timed(process.execPath, [child, tree, list]);
};

try {
  makeTree();
  const hasOpenssl = canMeasure('openssl dgst -sha256', 'openssl', 'sh', 'find', 'xargs');
  const reference = async () => (hasOpenssl ? openssl() : Number.NaN);
  await reference(); // all files are in the page cache: hashing is measured, not the disk
  const times = await inTurns(rounds, { openssl: reference, seal });
  printFigures(`${files} files, ${totalSize / mebibyte} MiB, ${threadCount} threads`, [
    { name: 'the list of the folder', unit: 'ms', samples: times.seal, references: { openssl: times.openssl } },
    { name: 'memory at most', unit: 'MiB', samples: peakMebibytes },
    { name: 'size of the list', unit: 'MiB', samples: statSync(list).size / mebibyte },
  ]);
} finally {
  rmSync(root, { recursive: true, force: true });
}
