// Ends alerts about damaged objects once every byte of the file was proven again, and says by what it was healed: a repair,
// a later upload of the same bytes, or somebody’s hand.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Resolution } from '@recordproof/shared/api/integrity.ts';
import { type Call, localCall, type Party } from '../../platform/call.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import { exponentialBackoff } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { recordAudit } from '../audit/index.ts';
import { type FileRow, fileIdOf, findFile, holderOf, listLiveFiles } from '../files/index.ts';
import { listCoHolders } from '../stored-objects/index.ts';
import { findProblems, openPatient } from './heal-chunk.ts';
import { findDamaged, listOpenDamage, noteLook, type OpenDamage, resolveObjectAlerts } from './queries.ts';

type Settling = Pick<Server, 'database' | 'clock' | 'log' | 'objects'>;

export type Cure = { readonly resolution: Resolution; readonly note: string };

/** All of its alerts about objects at once; of rivals one writes. */
export const settleAlerts = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call<Party>,
  file: FileRow,
  { resolution, note }: Cure,
): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const { tenantId, userId: resolvedBy } = call.actor;
    const now = clock.now();
    const ended = await resolveObjectAlerts(tx, { tenantId, fileId: file.id }, { resolution, note, resolvedBy }, now);
    for (const alert of ended) {
      const param = { alertId: alert.id, fileId: file.id, alertType: alert.alert_type, resolution, note };
      const description = `integrity alert ${alert.id} healed: ${note}`;
      await recordAudit(tx, call, now, 'integrity.alert-healed', description, param);
    }
  });

const lookedAtOnce = 200;
const sharersAtOnce = 100;
/** Their ids stand in every alert of the file. */
const mostSharers = 10_000;
export const lookJobKind = 'integrity.look-for-healed';

/** Files that came in since, and share objects with damaged ones, have written these anew. */
export const lookForHealed = (server: Settling): JobHandler => ({
  kind: lookJobKind,
  leaseSeconds: 120,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(5, 60),
  run: async ({ signal }) => {
    const { db } = server.database;
    for (const damage of await listOpenDamage(db, lookedAtOnce)) {
      signal.throwIfAborted();
      const seen_sharers = await lookAgain(server, damage, signal);
      await noteLook(db, { ...damage, seen_sharers }, server.clock.now());
    }
  },
});

/** Answers with the sharers that need not be looked at any more. */
async function lookAgain(server: Settling, damage: OpenDamage, signal: AbortSignal): Promise<string> {
  const { db } = server.database;
  const file = await findFile(db, damage.tenant_id, damage.file_id);
  if (file === null) return damage.seen_sharers;
  const sharers = await listSharers(db, file);
  const seen = new Set(damage.seen_sharers.split(','));
  const newer = sharers.find(({ id }) => !seen.has(String(id)));
  if (newer === undefined) return toSeen(sharers);
  const call = localCall('integrity', file.tenant_id, server.clock.now());
  const cure = { resolution: 'UPLOADED_AGAIN', note: `file ${newer.id} brought the same bytes` } as const;
  const isRead = await settleWhereWhole(server, call, file, { cure, signal });
  return isRead ? toSeen(sharers) : damage.seen_sharers;
}

const toSeen = (files: readonly FileRow[]): string => files.map(({ id }) => id).join(',');

export const listSeenSharers = async (db: Db, file: FileRow): Promise<string> => toSeen(await listSharers(db, file));

/** Live files that keep objects of this one. */
async function listSharers(db: Db, file: FileRow): Promise<FileRow[]> {
  const holder = { tenantId: file.tenant_id, holder: holderOf(file) };
  const sharers: FileRow[] = [];
  for (let after = ''; sharers.length < mostSharers; ) {
    const holders = await listCoHolders(db, holder, { after, limit: sharersAtOnce });
    sharers.push(...(await listLiveFiles(db, file.tenant_id, holders.flatMap(toFileId))));
    if (holders.length < sharersAtOnce) break;
    after = holders.at(-1) ?? '';
  }
  return sharers;
}

export const toFileId = (holder: string): Key[] => {
  const id = fileIdOf(holder);
  return id === null ? [] : [id];
};

type Settlement = { readonly cure: Cure; readonly signal: AbortSignal };

/** Whether all of it could be read. */
async function settleWhereWhole(
  server: Settling,
  call: Call<Party>,
  file: FileRow,
  { cure, signal }: Settlement,
): Promise<boolean> {
  try {
    const problems = await findProblems(server, await openPatient(server, file), signal);
    if (problems.length === 0) await settleAlerts(server, call, file, cure);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    server.log.warn({ fileId: file.id, error: toErrorText(error) }, 'a damaged file could not be looked at again');
    return error instanceof ApiError; // its manifest is the trouble, and stays so
  }
}

/** Of those that share objects with a file that was healed. */
export async function settleSharers(
  server: Settling,
  call: Call<Party>,
  file: FileRow,
  settlement: Settlement,
): Promise<void> {
  const { db } = server.database;
  const sharers = await listSharers(db, file);
  const ids = sharers.map(({ id }) => id);
  const damaged = await findDamaged(db, file.tenant_id, ids);
  for (const sharer of sharers) if (damaged.has(sharer.id)) await settleWhereWhole(server, call, sharer, settlement);
}
