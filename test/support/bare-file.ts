// Rows of a stored file without its bytes in the object store: for tests of evidence alone, where uploads would take
// minutes.
import { createHash, randomBytes } from 'node:crypto';
import { markStored, prepareFile } from '../../server/src/features/files/index.ts';
import { activateManifests, buildManifest } from '../../server/src/features/manifests/index.ts';
import { beginChains } from '../../server/src/features/versions/index.ts';
import { emit } from '../../server/src/platform/outbox/outbox.ts';
import { silentLog } from '../../server/src/platform/telemetry/log.ts';
import type { TestApp } from './app.ts';

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export async function storeBareFile(
  test: TestApp,
  username: string,
  bytes: Uint8Array,
  chunkSize: number,
): Promise<string> {
  const { db } = test.app.database;
  const now = test.clock.now();
  const account = await db
    .selectFrom('account')
    .select(['id', 'tenant_id'])
    .where('username', '=', username)
    .executeTakeFirstOrThrow();
  const owner = { tenantId: account.tenant_id, ownerId: account.id };
  const fileHash = randomBytes(32).toString('hex');
  const manifest = buildManifest({
    fileHash,
    chunkSize,
    totalSize: bytes.length,
    storageBackend: 'DISK',
    encryptionAlgorithm: 'NONE',
    chunks: Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) => {
      const plainHash = digestOf(bytes.subarray(index * chunkSize, (index + 1) * chunkSize));
      return { index, plainHash, cipherHash: plainHash, storagePath: `objects/${plainHash.slice(7)}` };
    }),
  });
  return db.transaction().execute(async tx => {
    const file = await prepareFile(
      tx,
      {
        ...owner,
        fileHash,
        contentHash: digestOf(bytes),
        fileName: 'bare.bin',
        fileSize: bytes.length,
        contentType: 'application/octet-stream',
        encryption: 'NONE',
        fileNonce: null,
        createdBy: `test:${fileHash}`,
      },
      now,
    );
    await beginChains(tx, [file.id]);
    const version = 1;
    const key = { tenantId: owner.tenantId, fileId: file.id };
    const evidence = { fileId: file.id, transactionHash: `0x${fileHash}`, manifestHash: manifest.manifestHash };
    await markStored(tx, test.config.quota, [evidence], now, silentLog);
    await activateManifests(tx, [{ ...key, ...manifest, fileVersion: version }], now);
    await emit(tx, { type: 'file.stored', tenantId: owner.tenantId, payload: { fileId: file.id, version } }, now);
    return String(file.id);
  });
}
