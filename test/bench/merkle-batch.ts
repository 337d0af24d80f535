// How fast a batch is built, against the bare hashing of the same leaves and nodes: `node test/bench/merkle-batch.ts`.
// Prints the ratio of interleaved rounds; a ratio below 0.6 or fewer than 150,000 leaves a second is too slow.
import { hash } from 'node:crypto';
import { digestOf, parseDigest, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { buildMerkleBatch } from '@recordproof/shared/evidence/merkle-batch.ts';

const count = Number(process.argv[2] ?? 100_000);
const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');
const candidates = Array.from({ length: count }, (_, i) => ({
  manifestHash: digestOf(toUtf8(`manifest ${i}`), sha256),
  fileId: String(i + 1),
}));

function bareSeconds(): number {
  const leaf = new Uint8Array(33);
  const node = new Uint8Array(65);
  const bytes = candidates.map(candidate => parseDigest(candidate.manifestHash));
  const started = performance.now();
  for (const manifest of bytes) {
    leaf.set(manifest, 1);
    sha256(leaf);
  }
  for (let i = 1; i < count; i++) node.set(sha256(node), 1);
  return (performance.now() - started) / 1000;
}

function batchSeconds(): number {
  const started = performance.now();
  buildMerkleBatch(candidates, sha256);
  return (performance.now() - started) / 1000;
}

const rounds = Array.from({ length: 7 }, () => ({ bare: bareSeconds(), batch: batchSeconds() }));
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
const ratio = median(rounds.map(({ bare, batch }) => bare / batch));
const perSecond = count / median(rounds.map(({ batch }) => batch));
console.log(`${count} leaves: ${Math.round(perSecond)} leaves/s, ${ratio.toFixed(2)} of the bare hash loop`);
process.exitCode = ratio < 0.6 || perSecond < 150_000 ? 1 : 0;
