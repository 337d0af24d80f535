// The certificate of a completed run, signed once: later calls return the same document. It names keys and contains
// none.
import { createHash } from 'node:crypto';
import { digestOf, toDigest, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  parseRetirementDocument,
  type RetirementCertificate,
  type RetirementDocument,
  retirementDocumentText,
  signRetirement,
} from '@recordproof/shared/evidence/retirement-certificate.ts';
import { openRotationTally, rotationItemLine } from '@recordproof/shared/evidence/rotation-item.ts';
import type { Call, Party } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Time, Tx } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { findAuditHead, recordAudit } from '../audit/index.ts';
import { toProofKey } from '../proofs/index.ts';
import { assertCompleted, readItems } from './certificate-items.ts';
import type { RunRow } from './queries.ts';
import { isOtherKeyInUse, toTarget } from './retirement.ts';

type Issuing = Pick<Server, 'database' | 'clock'> & { readonly signing: Pick<Server['signing'], 'current' | 'sign'> };

export async function issueCertificate(server: Issuing, call: Call<Party>, run: RunRow): Promise<RetirementDocument> {
  assertCompleted(run);
  const document = (await findCertificate(server.database.db, run)) ?? (await issue(server, call, run));
  return parseRetirementDocument(toUtf8(document));
}

async function issue(server: Issuing, call: Call<Party>, run: RunRow): Promise<string> {
  const { db } = server.database;
  const document = await sign(server, run);
  const text = retirementDocumentText(document);
  const isFirst = await db.transaction().execute(async tx => {
    const now = server.clock.now();
    if (!(await insertCertificate(tx, run, text, now))) return false;
    await recordAudit(tx, call, now, 'key-rotation.issue-certificate', `certificate of key rotation ${run.id}`, {
      runId: run.id,
      certificate: digestOf(toUtf8(text)),
      items: document.certificate.items.digest,
    });
    return true;
  });
  if (isFirst) return text;
  const other = await findCertificate(db, run);
  if (other === null) throw new Error(`the certificate of run ${run.id} has vanished`);
  return other;
}

async function sign(server: Issuing, run: RunRow): Promise<RetirementDocument> {
  const { database, clock, signing } = server;
  const { db } = database;
  const target = toTarget(run);
  const facts = {
    tenantId: toWireId(run.tenant_id),
    policy: { version: run.policy_version, ...target, logicalKeyVersion: run.logical_key_version },
    run: toRun(run),
    ...(await sumUp(db, run)),
    oldKeyInUse: await isOtherKeyInUse(db, run.tenant_id, target),
    audit: await findAuditHead(db, run.tenant_id),
    issuedAt: toIso(clock.now()),
  };
  const key = await signing.current();
  return signRetirement(facts, { ...toProofKey(key), sign: message => signing.sign(key, message) });
}

function toRun(run: RunRow): RetirementCertificate['run'] {
  if (run.started_at === null || run.completed_at === null) throw new Error(`run ${run.id} has no times`);
  return {
    runId: toWireId(run.id),
    requestId: run.request_id,
    createdAt: toIso(run.created_at),
    startedAt: toIso(run.started_at),
    completedAt: toIso(run.completed_at),
  };
}

async function sumUp(db: Db, run: RunRow): Promise<Pick<RetirementCertificate, 'counts' | 'keys' | 'items'>> {
  const tally = openRotationTally();
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const items of readItems(db, run))
    for (const item of items) {
      const line = rotationItemLine(item);
      tally.add(item);
      hash.update(line);
      bytes += line.length;
    }
  const { counts, keys } = tally.sums();
  return { counts, keys: [...keys], items: { bytes, digest: toDigest(hash.digest()) } };
}

async function findCertificate(db: Db, run: RunRow): Promise<string | null> {
  const row = await selectWhere(db, 'key_rotation_certificate', { tenant_id: run.tenant_id, run_id: run.id })
    .select('document')
    .executeTakeFirst();
  return row?.document ?? null;
}

/** Returns false if there is one already. */
async function insertCertificate(tx: Tx, run: RunRow, document: string, now: Time): Promise<boolean> {
  const rows = await tx
    .insertInto('key_rotation_certificate')
    .values({ tenant_id: run.tenant_id, run_id: run.id, document, created_at: now })
    .onConflict(conflict => conflict.column('run_id').doNothing())
    .returning('id')
    .execute();
  return rows.length === 1;
}
