// Storing of records of an older system in two steps: first as files without a proof; then, once every byte was
// verified, with the manifest and ledger entry that other files have from the start.
import type { Tx } from '../../platform/db/tables.ts';
import { emitAll } from '../../platform/outbox/outbox.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudits } from '../audit/index.ts';
import { chainOf, type FileRow, markOlderStored, markStored } from '../files/index.ts';
import { activateManifests } from '../manifests/index.ts';
import { beginChains, lockVersionChain } from '../versions/index.ts';
import { type FileToStore, toEvents, toNote } from './store-files.ts';

/** Prepared; its bytes are not examined yet. */
type OlderRecord = Pick<FileToStore, 'file' | 'call' | 'audit'>;

/** The commit throws QUOTA_EXCEEDED. Nothing is proven yet, so no event is sent and no proof is started. */
export async function storeOlder(
  { clock, config, log }: Pick<Server, 'clock' | 'config' | 'log'>,
  tx: Tx,
  records: readonly OlderRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const now = clock.now();
  const positions = await beginChains(
    tx,
    records.map(({ file }) => file.id),
  );
  const unproven = records.map(({ file }) => ({ fileId: file.id, transactionHash: null, manifestHash: null }));
  await markStored(tx, config.quota, unproven, now, log);
  const notes = records.flatMap(record => {
    const position = positions.get(record.file.id);
    return position === undefined ? [] : [toNote(record, position.version)];
  });
  if (notes.length < records.length)
    throw new Error('another request assigned a version to one of the imported records');
  await appendAudits(tx, notes, now);
}

type Proof = Pick<FileToStore, 'file' | 'manifest' | 'transactionHash' | 'call' | 'audit'>;

/**
 * Its objects are referenced and it is on the ledger; the caller writes its own rows before. Returns false, with
 * nothing written, if the record is deleted or already has a manifest.
 */
export async function proveFile(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  tx: Tx,
  { file, manifest, transactionHash, call, audit }: Proof,
): Promise<boolean> {
  await lockVersionChain(tx, database.kind, chainOf(file));
  const { manifestHash } = manifest;
  const { id: fileId, tenant_id: tenantId } = file;
  const proven: FileRow | null = await markOlderStored(tx, tenantId, { fileId, transactionHash, manifestHash });
  if (proven === null) return false;
  const now = clock.now();
  const { version } = proven;
  await activateManifests(tx, [{ tenantId, fileId, fileVersion: version, ...manifest }], now);
  await appendAudits(tx, [toNote({ file: proven, call, audit }, version)], now);
  await emitAll(tx, toEvents({ file: proven, transactionHash }, version), now);
  return true;
}
