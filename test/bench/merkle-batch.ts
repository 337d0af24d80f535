// Benchmark of building a Merkle batch, against the bare hashing of the same leaves and nodes, in turns.
// Run: npm run bench merkle-batch, or node test/bench/merkle-batch.ts [leaves]
import { hash } from 'node:crypto';
import { digestOf, parseDigest, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { buildMerkleBatch } from '@recordproof/shared/evidence/merkle-batch.ts';
import { inTurns, printFigures } from '../support/bench-figures.ts';

const count = Number(process.argv[2] ?? 100_000);
const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');
const candidates = Array.from({ length: count }, (_, i) => ({
  manifestHash: digestOf(toUtf8(`manifest ${i}`)),
  fileId: String(i + 1),
}));

async function hashBare(): Promise<number> {
  const leaf = new Uint8Array(33);
  const node = new Uint8Array(65);
  const bytes = candidates.map(candidate => parseDigest(candidate.manifestHash));
  const started = performance.now();
  for (const manifest of bytes) {
    leaf.set(manifest, 1);
    sha256(leaf);
  }
  for (let i = 1; i < count; i++) node.set(sha256(node), 1);
  return (count * 1000) / (performance.now() - started);
}

async function build(): Promise<number> {
  const started = performance.now();
  buildMerkleBatch(candidates);
  return (count * 1000) / (performance.now() - started);
}

const { bare, samples } = await inTurns(7, { bare: hashBare, samples: build });
printFigures(`${count} leaves`, [{ name: 'batch', unit: 'leaves/s', samples, references: { 'bare hash loop': bare } }]);
