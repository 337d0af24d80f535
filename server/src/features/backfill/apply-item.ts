// Apply step of a backfill: a record of an older system lacks its chunk manifest. Rebuilds the manifest from the stored
// objects of the record, records its hash in the ledger, and stores it. Every step can be repeated: references are kept,
// the ledger is queried first, and the last transaction is atomic.
import { localCall } from '../../platform/call.ts';
import { assertClaim } from '../../platform/db/claim.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { type FileRow, holderOf, lockLiveFiles } from '../files/index.ts';
import type { BuiltManifest } from '../manifests/index.ts';
import { proveFile } from '../stored/index.ts';
import { type HeldObject, holdFoundObjects } from '../stored-objects/index.ts';
import { type Proven, planManifest } from './examine-record.ts';
import { endItem, type ItemRow } from './item-queries.ts';

type ApplyContext = Pick<Server, 'database' | 'clock' | 'objects' | 'records'>;

type ItemToApply = { readonly item: ItemRow; readonly file: FileRow; readonly proven: Proven };

/** Returns false, with nothing written, if the file has changed meanwhile. */
export async function applyItem(server: ApplyContext, input: ItemToApply, signal: AbortSignal): Promise<boolean> {
  const storedObjects = await holdRecordObjects(server, input);
  if (storedObjects === null) return false;
  const { item, file, proven } = input;
  await inParallel([...proven.objects.entries()], async ([index, object]) => {
    signal.throwIfAborted();
    await restoreObject(server.objects, object, storedObjects[index]);
  });
  const manifest = planManifest(file, proven.source, storedObjects, server.objects.backend);
  const record = { fileHash: item.file_hash, manifestHash: manifest.manifestHash };
  const { transactionHash } = await server.records.recordFile(record);
  return recordManifest(server, input, { manifest, transactionHash });
}

/** Adds references to the objects of the record, so that they are not deleted from here on. */
const holdRecordObjects = (
  { database }: ApplyContext,
  { item, file, proven }: ItemToApply,
): Promise<readonly HeldObject[] | null> =>
  database.db.transaction().execute(async tx => {
    await assertClaim(tx, database.kind, 'backfill_item', item);
    const { tenant_id: tenantId } = item;
    const [live] = await lockLiveFiles(tx, database.kind, tenantId, [file.id]);
    if (live === undefined || live.manifest_hash !== null) return null;
    return holdFoundObjects(tx, { tenantId, holder: holderOf(file) }, proven.objects);
  });

/** If equal bytes are recorded at another path, copies the object there if it is missing. */
async function restoreObject(
  objects: Pick<ObjectStore, 'findHead' | 'copy'>,
  { path, size, sha256 }: HeldObject,
  recorded: HeldObject | undefined,
): Promise<void> {
  if (recorded === undefined || recorded.path === path) return;
  const head = await objects.findHead(recorded.path).catch(() => null);
  if (head?.size === size && head.sha256 === sha256) return;
  await objects.copy(path, recorded.path);
}

type Evidence = { readonly manifest: BuiltManifest; readonly transactionHash: string };

const recordManifest = (
  { database, clock }: ApplyContext,
  { item, file }: ItemToApply,
  { manifest, transactionHash }: Evidence,
): Promise<boolean> =>
  database.db.transaction().execute(async tx => {
    await assertClaim(tx, database.kind, 'backfill_item', item);
    const now = clock.now();
    const audit = {
      module: 'backfill',
      operation: 'apply-item',
      description: `file ${file.file_name} given its manifest`,
      param: { runId: item.run_id, itemId: item.id, evidence: item.expected_digest, manifest: manifest.manifestHash },
    };
    const call = localCall('backfill', item.tenant_id, now);
    const isProven = await proveFile({ database, clock }, tx, { file, manifest, transactionHash, call, audit });
    if (!isProven) return false;
    const reason = 'CONTENT_PROVEN';
    const ending = { status: 'BACKFILLED', classification: 'BACKFILLABLE', reason, due_at: null } as const;
    const evidence_digest = item.expected_digest;
    return endItem(tx, item, { ...ending, evidence_digest, manifest_hash: manifest.manifestHash }, now);
  });
