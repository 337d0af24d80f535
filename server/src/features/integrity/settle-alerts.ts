// Ends alerts about damaged objects once every byte of the file was proven again, and says by what it was healed: a repair,
// a later upload of the same bytes, or somebody’s hand.
import type { Resolution } from '@recordproof/shared/api/integrity.ts';
import { type Call, localCall, type Party } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import { exponentialBackoff } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { appendAudit } from '../audit/index.ts';
import { type FileRow, findFile, holderOf, listLiveFiles } from '../files/index.ts';
import { listCoHolders } from '../stored-objects/index.ts';
import { findProblems, openPatient } from './heal-chunk.ts';
import { listOpenDamage, noteLook, resolveObjectAlerts } from './queries.ts';

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
      await appendAudit(tx, call, { module: 'integrity', operation: 'alert-healed', description, param }, now);
    }
  });

const lookedAtOnce = 200;
const mostSharers = 100;
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
      const file = await findFile(db, damage.tenant_id, damage.file_id);
      const newer = file && (await findNewerSharer(server, file, damage.looked_at));
      if (!file || !newer) continue;
      const now = server.clock.now();
      const note = `file ${newer.id} brought the same bytes`;
      await settleWhereWhole(server, localCall('integrity', file.tenant_id, now), file, {
        cure: { resolution: 'UPLOADED_AGAIN', note },
        signal,
      });
      await noteLook(db, damage, now);
    }
  },
});

async function findNewerSharer({ database }: Settling, file: FileRow, since: number): Promise<FileRow | undefined> {
  const sharers = await listSharers({ database }, file);
  return sharers.find(({ created_at }) => created_at > since);
}

/** Live files that keep objects of this one. */
async function listSharers({ database: { db } }: Pick<Server, 'database'>, file: FileRow): Promise<FileRow[]> {
  const holder = { tenantId: file.tenant_id, holder: holderOf(file) };
  const holders = await listCoHolders(db, holder, mostSharers);
  return listLiveFiles(db, file.tenant_id, holders.flatMap(toFileId));
}

const toFileId = (holder: string): Key[] => {
  const [, id] = /^file:(\d+)$/.exec(holder) ?? [];
  return id === undefined ? [] : [Number(id)];
};

type Settlement = { readonly cure: Cure; readonly signal: AbortSignal };

async function settleWhereWhole(
  server: Settling,
  call: Call<Party>,
  file: FileRow,
  { cure, signal }: Settlement,
): Promise<void> {
  try {
    const problems = await findProblems(server, await openPatient(server, file), signal);
    if (problems.length === 0) await settleAlerts(server, call, file, cure);
  } catch (error) {
    signal.throwIfAborted();
    server.log.warn({ fileId: file.id, error: toErrorText(error) }, 'a damaged file could not be looked at again');
  }
}

/** Of those that share objects with a file that was healed. */
export async function settleSharers(
  server: Settling,
  call: Call<Party>,
  file: FileRow,
  settlement: Settlement,
): Promise<void> {
  const damaged = new Set((await listOpenDamage(server.database.db, lookedAtOnce)).map(({ file_id }) => file_id));
  for (const sharer of await listSharers(server, file))
    if (damaged.has(sharer.id)) await settleWhereWhole(server, call, sharer, settlement);
}
