// Recording of audit log heads on the ledger: at most one per minute and tenant, and none while no rows arrive. A kept
// checkpoint shows later whether a row up to that head was changed.
import { createHmac, type KeyObject } from 'node:crypto';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { findAnchor, findAuditHead } from '../audit/index.ts';
import { listEntriesUnder } from '../chain/index.ts';
import { findHashes, moveRecorded } from './queries.ts';

/** The tenant's name on the ledger; it does not identify the tenant without the key. */
const toTenantDigest = (pepper: KeyObject, tenantId: Key): string =>
  createHmac('sha256', pepper).update(`audit log of tenant\n${tenantId}`).digest('hex');

const headsAtOnce = 500;

/**
 * Describes the first row whose hash differs from the ledger; returns null if all agree. Deleted rows are skipped. The
 * log may grow and be cut meanwhile: entries are read before the rows they are about, and rows before their deletion.
 */
export async function findHeadProblem(db: Db, pepper: KeyObject, tenantId: Key): Promise<string | null> {
  for (let after = -1; ; ) {
    const page = { after, limit: headsAtOnce };
    const rows = await listEntriesUnder(db, 'AUDIT_HEAD', `${toTenantDigest(pepper, tenantId)}/`, page);
    const last = rows.at(-1);
    if (last === undefined) return null;
    after = last.position;
    const heads = rows.flatMap(row => {
      const entry = parseLedgerEntry(toUtf8(row.entry));
      return entry.kind === 'AUDIT_HEAD' ? [entry] : [];
    });
    const positions = heads.map(({ sequence }) => sequence);
    const hashes = await findHashes(db, tenantId, positions);
    const { position: length } = await findAuditHead(db, tenantId);
    const { position: cutAt } = await findAnchor(db, tenantId);
    const wrong = heads.find(
      ({ sequence, headHash }) => sequence > cutAt && (sequence > length || hashes.get(sequence) !== headHash),
    );
    if (wrong !== undefined)
      return `row ${wrong.sequence} is not the one that the ledger recorded at ${wrong.recordedAt}: rows were changed or removed, or the database is from an older backup`;
  }
}

type Recording = Pick<Server, 'database' | 'clock' | 'ledger' | 'keys'>;

export async function recordAuditHead(
  { database: { db }, clock, ledger, keys }: Recording,
  tenantId: Key,
): Promise<void> {
  const now = clock.now();
  const { position, hash } = await findAuditHead(db, tenantId);
  if (position === 0) return;
  await db.transaction().execute(async tx => {
    if (!(await moveRecorded(tx, { tenant_id: tenantId, position, recorded_at: now }))) return;
    const tenantDigest = toTenantDigest(keys.pepper, tenantId);
    await ledger.recordWithin(tx, [{ kind: 'AUDIT_HEAD', tenantDigest, sequence: position, headHash: hash }]);
  });
}
