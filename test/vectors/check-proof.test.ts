// The specification read by somebody else: a Python program that shares no code with us gives the same verdicts.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listVectors, type Vector } from '../support/vectors.ts';

const script = fileURLToPath(new URL('check_proof.py', import.meta.url));
const issuer = fileURLToPath(new URL('common/issuer.json', import.meta.url));

/** Whether the archive and the file themselves are sound; answers from outside and key files are not its subject. */
function isSoundLocally(vector: Vector): boolean | undefined {
  if (vector.name.startsWith('keyfile-')) return undefined;
  if (vector.name.startsWith('live-local-') || vector.name.startsWith('key-own')) return false;
  if (vector.live !== undefined) return true;
  if (vector.name.startsWith('key-')) return vector.name === 'key-none_ok';
  return vector.expected.outcome === 'INDETERMINATE';
}

test('the Python check accepts and refuses the same vectors', { timeout: 60_000 }, () => {
  const vectors = listVectors().filter(vector => isSoundLocally(vector) !== undefined);
  const triples = vectors.map(vector =>
    [vector.originalPath, vector.proofPath, vector.trustedKeyPath ?? issuer].join('\t'),
  );
  const input = `${triples.join('\n')}\n`;
  const verdicts = execFileSync('python3', [script, '--each'], { input, encoding: 'utf8' }).trimEnd().split('\n');
  const found = vectors.map((vector, at) => `${vector.name}: ${verdicts[at]}`);
  const differing = found.filter((line, at) => line.endsWith(': agrees') !== isSoundLocally(vectors[at] as Vector));
  expect(differing).toEqual([]);
  expect(verdicts).toHaveLength(vectors.length);
});
