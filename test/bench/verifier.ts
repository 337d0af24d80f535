// A verification, offline: the program on a small proof against a Node that does nothing, the engine alone, and the
// program on a large original against openssl. Run: npm run bench verifier, or node test/bench/verifier.ts [rounds] [MiB]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { mebibyte, trustedKeyPath, writeProof } from '../support/large-proof.ts';
import { inTurns, median, printTable, toSpread } from '../support/rounds.ts';
import { timeBareNode } from '../support/server-process.ts';
import { runVerifier } from '../support/verifier-process.ts';

const rounds = Number(process.argv[2] ?? 15);
const largeSize = Number(process.argv[3] ?? 1024) * mebibyte;
const engineRuns = 500;
const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));

type Case = Awaited<ReturnType<typeof writeProof>>;

let peakMebibytes = 0;
async function timeProgram({ original, proof }: Case): Promise<number> {
  const run = await runVerifier([`--file=${original}`, `--proof=${proof}`, `--trusted-key=${trustedKeyPath}`]);
  if (run.code !== 3) throw new Error(`the verifier ended with ${run.code}`);
  peakMebibytes = Math.max(peakMebibytes, run.peakMebibytes);
  return run.millis;
}

async function timeOpenssl({ original }: Case): Promise<number> {
  const started = performance.now();
  await once(spawn('openssl', ['dgst', '-sha256', original], { stdio: 'ignore' }), 'exit');
  return performance.now() - started;
}

async function timeEngine({ original, proof }: Case): Promise<number[]> {
  const [content, archive, trustedKey] = [original, proof, trustedKeyPath].map(
    path => new Uint8Array(readFileSync(path)),
  );
  if (content === undefined || archive === undefined || trustedKey === undefined) throw new Error('no case');
  const times: number[] = [];
  for (let run = 0; run < engineRuns; run += 1) {
    const blocks = (async function* () {
      yield content;
    })();
    const started = performance.now();
    await verifyProof({ archive, original: blocks, trustedKey, maxOriginalBytes: content.length }, nodePlatform);
    times.push(performance.now() - started);
  }
  return times;
}

try {
  const small = await writeProof(folder, 2500);
  await timeProgram(small); // fills the cache of compiled code
  const start = await inTurns(rounds, { bare: timeBareNode, program: () => timeProgram(small) });
  const engine = await timeEngine(small);
  console.log(`a small proof, ms: median of ${rounds} (lowest to highest)\n`);
  printTable([
    ['node -e 0', toSpread(start.bare)],
    ['recordproof-verify', toSpread(start.program)],
    [`engine in process, of ${engineRuns}`, toSpread(engine, 2)],
  ]);
  console.log(`\nrecordproof-verify takes ${(median(start.program) - median(start.bare)).toFixed(0)} ms more\n`);

  const large = await writeProof(folder, largeSize);
  const bulk = await inTurns(Math.ceil(rounds / 3), {
    openssl: () => timeOpenssl(large),
    program: () => timeProgram(large),
  });
  console.log(`an original of ${largeSize / mebibyte} MiB, ms: median of ${Math.ceil(rounds / 3)}\n`);
  printTable([
    ['openssl dgst -sha256', toSpread(bulk.openssl)],
    ['recordproof-verify', toSpread(bulk.program)],
  ]);
  console.log(
    `\n${(median(bulk.program) / median(bulk.openssl)).toFixed(2)} of openssl, at most ${peakMebibytes.toFixed(0)} MiB`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
