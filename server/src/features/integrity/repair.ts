// Repairing the damage of an alert: from other records of the same content, or chunk by chunk from a backup. Bytes are
// verified before they replace anything, and the whole file is read again before the alert is resolved.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { RepairResult } from '@recordproof/shared/api/integrity.ts';
import { plainSizeOf } from '@recordproof/shared/evidence/chunk-manifest.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { recordAudit } from '../audit/index.ts';
import { type FileRow, findFile, listFilesOfContent } from '../files/index.ts';
import { noSuchAlert } from './change-alert.ts';
import type { ChunkProblem } from './examine-chunks.ts';
import { objectTypes } from './findings.ts';
import {
  type DamagedFile,
  findProblems,
  type Healing,
  healWithPlain,
  healWithStored,
  openDamagedFile,
  readFromDonor,
} from './heal-chunk.ts';
import { type AlertRow, countHealed, findAlert } from './queries.ts';
import { type AlertResolution, resolveAlerts, resolveSharedAlerts } from './resolve-alerts.ts';
import { toAlertView } from './views.ts';

type Input = { readonly id: Key; readonly signal: AbortSignal };
type Case = { readonly alert: AlertRow; readonly file: FileRow };

const mostDonors = 5;
const mostNamed = 1000;

export async function repairAlert(server: Healing, call: Call<Party>, { id, signal }: Input): Promise<RepairResult> {
  const { alert, file } = await getCase(server, call, id);
  const damagedFile = await openDamagedFile(server, file);
  const damaged = await findProblems(server, damagedFile, signal);
  const { healed, donors } = await healFromDonors(server, damagedFile, damaged, signal);
  if (healed > 0) await noteHealed(server, call, alert, { healed, source: `records ${donors.join(', ')}` });
  const left = healed === 0 ? damaged : await findProblems(server, damagedFile, signal);
  if (left.length === 0) {
    const alertResolution = toAlertResolution(alert, healed, donors);
    await resolveAlerts(server, call, file, alertResolution);
    await resolveSharedAlerts(server, call, file, { alertResolution, signal });
  }
  const now = await findAlert(server.database.db, alert.tenant_id, alert.id);
  return {
    alert: await toAlertView(server.database.db, now ?? alert),
    healedChunks: healed,
    contentHash: file.content_hash,
    fileSize: file.file_size,
    chunkSize: damagedFile.manifest.chunkSize,
    damaged: left.slice(0, mostNamed).map(toDamaged),
  };
}

const toDamaged = ({ chunk, alertType }: ChunkProblem) => ({
  index: chunk.index,
  size: chunk.size,
  plainSize: plainSizeOf(chunk),
  plainHash: chunk.plainHash,
  cipherHash: chunk.cipherHash,
  problem: alertType,
});

const toChunks = (count: number): string => (count === 1 ? '1 chunk' : `${count} chunks`);

function toAlertResolution(
  { healed_chunks: before }: AlertRow,
  healed: number,
  donors: readonly Key[],
): AlertResolution {
  if (healed + before === 0)
    return { resolution: 'FOUND_WHOLE', note: 'every stored byte was read and is as recorded' };
  const sources = [
    ...(before > 0 ? [`${toChunks(before)} by earlier repairs, which the audit log tells of`] : []),
    ...(healed > 0 ? [`${toChunks(healed)} from ${donors.map(id => `file ${id}`).join(', ')}`] : []),
  ];
  return { resolution: 'REPAIRED', note: sources.join('; ') };
}

/** An open alert on objects, with its file if it still exists. */
async function getCase({ database: { db } }: Healing, call: Call<Party>, id: Key): Promise<Case> {
  const { tenantId } = call.actor;
  const alert = await findAlert(db, tenantId, id);
  if (alert === null) throw noSuchAlert(id);
  if (alert.status === 'RESOLVED') throw new ApiError('CONFLICT', `alert ${id} is already resolved`);
  if (!objectTypes.some(type => type === alert.alert_type))
    throw new ApiError('UNPROCESSABLE', `bytes cannot repair ${alert.alert_type}; see the repair hint of the alert`);
  const file = await findFile(db, tenantId, alert.file_id);
  if (file === null || file.objects_released_at !== null)
    throw new ApiError('UNPROCESSABLE', 'the file was deleted and its bytes were purged; resolve the alert');
  return { alert, file };
}

type Healed = { readonly healed: number; readonly donors: readonly Key[] };

async function healFromDonors(
  server: Healing,
  damagedFile: DamagedFile,
  damaged: readonly ChunkProblem[],
  signal: AbortSignal,
): Promise<Healed> {
  const donors = new Set<Key>();
  let healed = 0;
  let left = damaged;
  if (left.length === 0) return { healed, donors: [] };
  for (const donor of await listFilesOfContent(server.database.db, damagedFile.file, mostDonors)) {
    const ill: ChunkProblem[] = [];
    for (const problem of left) {
      const isHealed = await healFromDonor(server, damagedFile, { donor, problem, signal });
      if (!isHealed) ill.push(problem);
      else donors.add(donor.id);
    }
    healed += left.length - ill.length;
    left = ill;
    if (left.length === 0) break;
  }
  return { healed, donors: [...donors] };
}

type Gift = { readonly donor: FileRow; readonly problem: ChunkProblem; readonly signal: AbortSignal };

/** A donor that is damaged or cannot be opened is skipped. */
async function healFromDonor(
  server: Healing,
  damagedFile: DamagedFile,
  { donor, problem, signal }: Gift,
): Promise<boolean> {
  const { chunk } = problem;
  try {
    const bytes = readFromDonor(server, donor, damagedFile, chunk, signal);
    await healWithPlain(server, damagedFile, { chunk, bytes, signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    const which = { fileId: damagedFile.file.id, chunk: chunk.index, donor: donor.id };
    server.log.info({ ...which, error: toErrorText(error) }, 'failed to repair a chunk from another record');
    return false;
  }
}

const noteHealed = (
  { database, clock }: Healing,
  call: Call<Party>,
  alert: AlertRow,
  { healed, source }: { readonly healed: number; readonly source: string },
): Promise<void> =>
  database.db.transaction().execute(async tx => {
    await countHealed(tx, alert, healed);
    await recordAudit(
      tx,
      call,
      clock.now(),
      'integrity.heal-chunks',
      `${healed} damaged chunks of file ${alert.file_id} were replaced`,
      { alertId: alert.id, fileId: alert.file_id, healed, source },
    );
  });

type Backup = Input & {
  readonly index: number;
  readonly form: 'stored' | 'plain';
  readonly bytes: AsyncIterable<Uint8Array>;
};

/** From a backup, whose bytes are untrusted. */
export async function repairChunk(server: Healing, call: Call, { id, index, form, bytes, signal }: Backup) {
  const { alert, file } = await getCase(server, call, id);
  const damagedFile = await openDamagedFile(server, file);
  const chunk = damagedFile.manifest.chunks[index];
  if (chunk === undefined) throw new ApiError('RESULT_DATA_NONE', `file ${file.id} has no chunk ${index}`);
  try {
    if (form === 'plain') await healWithPlain(server, damagedFile, { chunk, bytes, signal });
    else await healWithStored(server, damagedFile, { chunk, bytes, signal });
  } catch (cause) {
    if (!(cause instanceof ObjectStoreError) || !otherBytes.includes(cause.kind)) throw cause;
    const message = `these are not the recorded bytes of chunk ${index}; nothing was changed, use another backup`;
    throw new ApiError('DATA_IS_WRONG', message, { cause });
  }
  await noteHealed(server, call, alert, { healed: 1, source: `backup, chunk ${index}, ${form}` });
  return { index, healed: true } as const;
}

const otherBytes: readonly ObjectStoreError['kind'][] = [
  'HASH_MISMATCH',
  'LENGTH_MISMATCH',
  'CORRUPT',
  'SOURCE_FAILED',
];
