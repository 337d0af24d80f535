// Creating the manifest that a record's objects prove, through the common path that registers files. Every step is
// idempotent: references are kept, the chain is queried, and the last transaction is atomic.
import { localCall } from '../../platform/call.ts';
import { assertClaim } from '../../platform/db/claim.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { type FileRow, holderOf, lockLiveFiles } from '../files/index.ts';
import type { BuiltManifest } from '../manifests/index.ts';
import { proveFile } from '../stored/index.ts';
import { adoptObjects, type HeldObject } from '../stored-objects/index.ts';
import { type Proven, planManifest } from './examine-record.ts';
import { endItem, type ItemRow } from './item-queries.ts';

type Applies = Pick<Server, 'database' | 'clock' | 'objects' | 'records'>;

type Application = { readonly item: ItemRow; readonly file: FileRow; readonly proven: Proven };

/** Returns false, with nothing written, if the file has changed meanwhile. */
export async function applyItem(server: Applies, application: Application, signal: AbortSignal): Promise<boolean> {
  const placed = await adopt(server, application);
  if (placed === null) return false;
  const { item, file, proven } = application;
  await inParallel([...proven.objects.entries()], async ([index, object]) => {
    signal.throwIfAborted();
    await fillPlace(server.objects, object, placed[index]);
  });
  const manifest = planManifest(file, proven.source, placed, server.objects.backend);
  const record = { fileHash: item.file_hash, manifestHash: manifest.manifestHash };
  const { transactionHash } = await server.records.recordFile(record);
  return settle(server, application, { manifest, transactionHash });
}

/** From here on its objects are not deleted. */
const adopt = ({ database }: Applies, { item, file, proven }: Application): Promise<readonly HeldObject[] | null> =>
  database.db.transaction().execute(async tx => {
    await assertClaim(tx, database.kind, 'backfill_item', item);
    const { tenant_id: tenantId } = item;
    const [live] = await lockLiveFiles(tx, database.kind, tenantId, [file.id]);
    if (live === undefined || live.manifest_hash !== null) return null;
    return adoptObjects(tx, { tenantId, holder: holderOf(file) }, proven.objects);
  });

/** Restores the bytes at their recorded path, if equal bytes were recorded at another path and got lost there. */
async function fillPlace(
  objects: Pick<ObjectStore, 'findHead' | 'copy'>,
  { path, size, sha256 }: HeldObject,
  place: HeldObject | undefined,
): Promise<void> {
  if (place === undefined || place.path === path) return;
  const head = await objects.findHead(place.path).catch(() => null);
  if (head?.size === size && head.sha256 === sha256) return;
  await objects.copy(path, place.path);
}

type Evidence = { readonly manifest: BuiltManifest; readonly transactionHash: string };

const settle = (
  { database, clock }: Applies,
  { item, file }: Application,
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
