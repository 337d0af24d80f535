// Signs, once, what became of the keys of a tenant in a completed run; later the same is answered. Names keys, and holds none.
import { createHash } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
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
import type { Db, Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit, findAuditHead } from '../audit/index.ts';
import { hasEnvelopesBeside } from '../envelopes/index.ts';
import { toProofKey } from '../proofs/index.ts';
import { readItems, refuseUnfinished } from './certificate-items.ts';
import { findCertificate, insertCertificate } from './certificate-queries.ts';
import { findRun, type RunRow } from './queries.ts';

type Issuing = Pick<Server, 'database' | 'clock'> & { readonly signing: Pick<Server['signing'], 'current' | 'sign'> };

export async function issueCertificate(
  server: Issuing,
  call: Call<Party>,
  { id }: { readonly id: Key },
): Promise<RetirementDocument> {
  const { db } = server.database;
  const run = await findRun(db, call.actor.tenantId, id);
  if (run === null) throw new ApiError('RESULT_DATA_NONE', 'there is no run of this number');
  refuseUnfinished(run);
  const known = (await findCertificate(db, run)) ?? (await issue(server, call, run));
  return parseRetirementDocument(toUtf8(known));
}

async function issue(server: Issuing, call: Call<Party>, run: RunRow): Promise<string> {
  const { db } = server.database;
  const document = await sign(server, run);
  const text = retirementDocumentText(document);
  const isFirst = await db.transaction().execute(async tx => {
    const now = server.clock.now();
    if (!(await insertCertificate(tx, run, text, now))) return false;
    const entry = {
      module: 'key-rotation',
      operation: 'issue-certificate',
      description: `certificate of key rotation ${run.id}`,
      param: { runId: run.id, certificate: digestOf(toUtf8(text)), items: document.certificate.items.digest },
    };
    await appendAudit(tx, call, entry, now);
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
  const { provider, provider_contract: contract, provider_key_version: keyVersion } = run;
  const facts = {
    tenantId: toWireId(run.tenant_id),
    policy: { version: run.policy_version, provider, contract, keyVersion, logicalKeyVersion: run.logical_key_version },
    run: toRun(run),
    ...(await sumUp(db, run)),
    oldKeyInUse: await hasEnvelopesBeside(db, run.tenant_id, { provider, contract, keyVersion }),
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
