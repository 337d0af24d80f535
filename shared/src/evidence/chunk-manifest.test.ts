// Chunk manifests, plain and encrypted: canonical bytes, hash coverage, optional Merkle root.
import { expect, test } from 'vitest';
import { manifestOf, someContent } from '../../../test/support/proofs.ts';
import { canonicalBytes, type JsonValue } from './canonical-json.ts';
import {
  buildChunkManifest,
  type ChunkManifest,
  chunkManifestBytes,
  manifestHashOf,
  parseChunkManifest,
} from './chunk-manifest.ts';
import { gcmChunkSuite, storedSize } from './content-suites.ts';
import { digestOf, toUtf8 } from './digest.ts';
import { ShapeError } from './strict-shape.ts';

const manifest = manifestOf({ content: someContent(2500), chunkSize: 1000 });
const encrypted = manifestOf({ content: someContent(2500), chunkSize: 1000, suite: gcmChunkSuite });

/** The bytes of a changed manifest whose hash was made to fit again. */
function rehashed(change: (manifest: ChunkManifest) => unknown, from = manifest): Uint8Array {
  const copy = structuredClone(from);
  change(copy);
  return canonicalBytes({ ...copy, manifestHash: manifestHashOf(copy) } as unknown as JsonValue);
}

test('a manifest is read from its canonical bytes, whatever the order of the plan', () => {
  expect(parseChunkManifest(chunkManifestBytes(manifest))).toEqual(manifest);
  const shuffled = buildChunkManifest({ ...manifest, chunks: [...manifest.chunks].reverse() });
  expect(shuffled).toEqual(manifest);
  expect(manifest.chunks.map(chunk => chunk.size)).toEqual([1000, 1000, 500]);
});

test('an encrypted manifest contains stored and plaintext sizes and the framing', () => {
  expect(parseChunkManifest(chunkManifestBytes(encrypted))).toEqual(encrypted);
  expect(encrypted.chunks[2]).toMatchObject({ size: 500 + 48 + 16, plainSize: 500 });
  expect(encrypted.encryption).toEqual({ framePlainSize: 1048576, headerSize: 48, tagSize: 16 });
  expect(storedSize(gcmChunkSuite, 1048576 * 3 + 1)).toBe(1048576 * 3 + 1 + 48 + 4 * 16);
});

test('the hash covers everything except itself', () => {
  const text = new TextDecoder().decode(chunkManifestBytes(manifest));
  const without = text.replace(`"manifestHash":"${manifest.manifestHash}",`, '');
  expect(without).not.toBe(text);
  expect(manifest.manifestHash).toBe(digestOf(toUtf8(without)));
});

test('a manifest with another hash is rejected', () => {
  const foreign = canonicalBytes({ ...manifest, manifestHash: encrypted.manifestHash } as unknown as JsonValue);
  expect(() => parseChunkManifest(foreign)).toThrow('manifestHash is not the hash of this manifest');
});

test.each<[string, (manifest: ChunkManifest) => unknown]>([
  ['two chunks swapped', m => m.chunks.reverse()],
  ['a chunk missing', m => m.chunks.pop()],
  ['a chunk twice', m => m.chunks.push(structuredClone(m.chunks[0] as ChunkManifest['chunks'][number]))],
  ['a total that does not match', m => (m.totalSize = 3001)],
  ['a short chunk in the middle', m => Object.assign(m.chunks[1] ?? {}, { size: 999 })],
  [
    'two hashes for a chunk that is not encrypted',
    m => Object.assign(m.chunks[0] ?? {}, { cipherHash: m.chunks[1]?.plainHash }),
  ],
  ['a redundant plaintext size', m => Object.assign(m.chunks[0] ?? {}, { plainSize: 1000 })],
  ['an encryption block without encryption', m => Object.assign(m, { encryption: encrypted.encryption })],
  ['a chunk in another backend', m => Object.assign(m.chunks[0] ?? {}, { storageBackend: 'S3' })],
  ['a path with ..', m => Object.assign(m.chunks[0] ?? {}, { storagePath: 't1/../t2/x' })],
  ['an absolute path', m => Object.assign(m.chunks[0] ?? {}, { storagePath: '/t1/x' })],
  ['an unknown field', m => Object.assign(m, { note: 'x' })],
  ['another schema', m => Object.assign(m, { schema: 'recordproof.chunk-manifest.v2' })],
  ['no chunks', m => Object.assign(m, { chunks: [], totalSize: 0 })],
])('a manifest with %s is rejected although its hash matches', (_, change) => {
  expect(() => parseChunkManifest(rehashed(change))).toThrow(ShapeError);
});

test.each<[string, (manifest: ChunkManifest) => unknown]>([
  ['no encryption block', m => delete m.encryption],
  ['another framing', m => Object.assign(m.encryption ?? {}, { tagSize: 12 })],
  ['no plaintext size', m => delete m.chunks[0]?.plainSize],
  ['a stored size that does not match', m => Object.assign(m.chunks[0] ?? {}, { size: 1000 })],
])('an encrypted manifest with %s is rejected although its hash matches', (_, change) => {
  expect(() => parseChunkManifest(rehashed(change, encrypted))).toThrow(ShapeError);
});

test('the optional merkleRoot is covered by the hash, and only its format is checked', () => {
  const bytes = rehashed(m => Object.assign(m, { merkleRoot: m.manifestHash }));
  expect(parseChunkManifest(bytes).merkleRoot).toBe(manifest.manifestHash);
});
