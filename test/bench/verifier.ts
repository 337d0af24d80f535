// Benchmark of an offline verification: the program on a small proof against a Node that does nothing, the engine
// alone, and the program on a large original against openssl. Run: npm run bench verifier, or node
// test/bench/verifier.ts [rounds] [MiB]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { canMeasure, inTurns, printFigures } from '../support/bench-figures.ts';
import { mebibyte, trustedKeyPath, writeProof } from '../support/large-proof.ts';
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
  await timeProgram(small); // fills the compile cache
  const start = await inTurns(rounds, { bare: timeBareNode, program: () => timeProgram(small) });
  const engine = await timeEngine(small);
  const more = start.program.map((ms, round) => ms - (start.bare[round] ?? Number.NaN));
  printFigures('a small proof', [
    { name: 'recordproof-verify', unit: 'ms', samples: start.program, references: { 'node -e 0': start.bare } },
    { name: 'above node -e 0', unit: 'ms', samples: more },
    { name: `engine in process, of ${engineRuns}`, unit: 'ms', samples: engine },
  ]);

  const large = await writeProof(folder, largeSize);
  const hasOpenssl = canMeasure('openssl dgst -sha256', 'openssl');
  const bulk = await inTurns(Math.ceil(rounds / 3), {
    openssl: async () => (hasOpenssl ? timeOpenssl(large) : Number.NaN),
    program: () => timeProgram(large),
  });
  printFigures(`an original of ${largeSize / mebibyte} MiB`, [
    { name: 'recordproof-verify', unit: 'ms', samples: bulk.program, references: { openssl: bulk.openssl } },
    { name: 'memory at most', unit: 'MiB', samples: peakMebibytes },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
