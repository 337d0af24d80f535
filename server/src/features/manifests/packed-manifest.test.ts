// Packed manifests: short, and the same text again.
import { buildChunkManifest, type ChunkPlan, chunkManifestBytes } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { digestOf, parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { expect, test } from 'vitest';
import { packManifest, unpackManifest } from './packed-manifest.ts';

const hashOf = (text: string) => digestOf(toUtf8(text));

function planOf(count: number, how: Pick<ChunkPlan, 'encryptionAlgorithm' | 'storageBackend'>): ChunkPlan {
  const chunks = Array.from({ length: count }, (_, index) => {
    const plainHash = hashOf(`plain ${index}`);
    const cipherHash = how.encryptionAlgorithm === 'NONE' ? plainHash : hashOf(`sealed ${index}`);
    return { index, plainHash, cipherHash, storagePath: `short/NNIADBIYROEuBXChSA29ZdPD/${index}` };
  });
  return { ...how, fileHash: hashOf('file').slice(7), chunkSize: 1000, totalSize: count * 1000 - 191, chunks };
}

const sealed = 'RP-AES256-GCM-CHUNK-CHAIN-V1';

/** The digest is of the stored bytes, which later releases have to read: it never changes. */
test.each([
  [1, sealed, 'DISK', 175, 'sha256:bc18e7cfeceeb70f701b88b82ef89fc3877115c2f23dbdcbbf6d1e3720073deb'],
  [1, 'NONE', 'S3', 172, 'sha256:4122964ecc3ff1a0f799f04d2403bf32553d57d79647ebd91625e8bc3d457649'],
  [100, sealed, 'S3', 11_600, 'sha256:dc4f9f32d9a1c7360f0490e0b1ee1e54d21ade0ab0d3c27a95978d768456bfef'],
  [100, 'NONE', 'DISK', 11_200, 'sha256:b4f7b2a4966b2435794a24e87e1537a4a8099823954512bd4983ead02611373e'],
] as const)('%i chunks, %s, on %s', (count, encryptionAlgorithm, storageBackend, mostBytes, digest) => {
  const manifest = buildChunkManifest(planOf(count, { encryptionAlgorithm, storageBackend }));
  const text = parseUtf8(chunkManifestBytes(manifest));
  const packed = packManifest(manifest.manifestHash, text);
  expect(packed.length).toBeLessThan(mostBytes);
  expect(digestOf(packed)).toBe(digest);
  expect(unpackManifest({ manifest_hash: manifest.manifestHash, packed })).toBe(text);
});
