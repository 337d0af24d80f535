// Packed manifests: short, the same text again, and migrated from the rows of earlier releases.
import { buildChunkManifest, type ChunkPlan, chunkManifestBytes } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { digestOf, parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../../../test/support/databases.ts';
import { openFileWorld } from '../../../../test/support/file-world.ts';
import { readManifestText } from '../../../../test/support/manifest-text.ts';
import { runSteps } from '../../../../test/support/run-steps.ts';
import { migrations } from '../../compose/features.ts';
import { manifestMigrations } from './migrations.ts';
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

eachDatabase((_engine, open) => {
  test('the migration keeps the text of every manifest, damaged ones included', async () => {
    const database = await open(migrations);
    const { db } = database;
    await using world = await openFileWorld(database);
    const owner = await world.person(await world.tenant('t'), 'ada');
    const files = [
      await world.store(owner, { bytes: Buffer.from('sealed'), sealed: true }),
      await world.store(owner, { bytes: Buffer.from('plain') }),
      await world.store(owner, { bytes: Buffer.alloc(5000, 1), chunkSize: 1000, sealed: true }),
      await world.store(owner, { bytes: Buffer.from('damaged') }),
    ];
    const texts = await Promise.all(files.map(({ id }) => readManifestText(db, id)));
    texts.splice(-1, 1, '{"schema":"é 漢"');
    await sql`alter table manifest add column canonical_json text not null default ''`.execute(db);
    for (const [index, { id }] of files.entries())
      await sql`update manifest set canonical_json = ${texts[index]} where file_id = ${id}`.execute(db);
    await sql`drop index manifest_file`.execute(db);
    await sql`create index manifest_hash on manifest (tenant_id, manifest_hash)`.execute(db);
    await sql`alter table manifest drop column packed`.execute(db);

    await runSteps(database, manifestMigrations.slice(-2));
    expect(await Promise.all(files.map(({ id }) => readManifestText(db, id)))).toEqual(texts);
  });
});
