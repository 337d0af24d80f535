// Issuing proofs: signs the proof of a leaf, once, when its batch is anchored. Nothing is signed over inconsistent
// rows.
import { setImmediate as othersTurn } from 'node:timers/promises';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { sha256, toHex } from '@recordproof/shared/evidence/digest.ts';
import { signInput } from '@recordproof/shared/evidence/jws.ts';
import { toProofSigningInput, type UnsignedProof } from '@recordproof/shared/evidence/proof-builder.ts';
import { toProofId } from '@recordproof/shared/evidence/proof-entries.ts';
import { localCall } from '../../platform/call.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { type Consumer, emitAll, type NewEvent } from '../../platform/outbox/outbox.ts';
import { batchCompleted, type LeafRow, listLeaves } from '../attestation/index.ts';
import { appendAudits } from '../audit/index.ts';
import { type SignedProofSuites, signedProofSuites } from '../crypto-policy/index.ts';
import { type Notice, toNoticeEvent } from '../events/index.ts';
import { type FileRow, setProofStatus } from '../files/index.ts';
import { listOutdated, lockVersionChains } from '../versions/index.ts';
import { supersededReason } from './change-status.ts';
import { buildStoredProof, EvidenceMismatch, findStored, listStored, type Stored } from './evidence.ts';
import { toIssuedEntries } from './ledger-entries.ts';
import {
  findProofOfFile,
  insertProofs,
  listUnproven,
  lockActiveKey,
  type ProofKeyRow,
  type ProofRow,
} from './queries.ts';
import { type Proving, toProofKey } from './signing.ts';

const issueJobKind = 'proofs.issue';

export const issueOnCompletion: Consumer = {
  name: 'proofs-issue',
  types: [batchCompleted],
  handle: async (tx, completed) => {
    for (const { payload, createdAt } of completed) await enqueue(tx, { kind: issueJobKind, payload }, createdAt);
  },
};

/** Their manifests are in memory together. */
const signedAtOnce = 16;
/** In one transaction, which takes the lock of the ledger last. */
const storedAtOnce = 64;

/** A file with inconsistent evidence is logged and skipped; a request for its proof returns the reason. */
export const issueBatch = (server: Proving): JobHandler => ({
  kind: issueJobKind,
  leaseSeconds: 120,
  maxAttempts: 50,
  backoffSeconds: exponentialBackoff(2, 300),
  run: async job => {
    const { db } = server.database;
    const leaves = await listLeaves(db, job.payload.batchId as Key);
    const unproven = await listUnproven(
      db,
      leaves.map(leaf => leaf.id),
    );
    const open = leaves.filter(leaf => unproven.has(leaf.id));
    for (let from = 0; from < open.length; from += storedAtOnce) {
      job.signal.throwIfAborted();
      await issueSome(server, open.slice(from, from + storedAtOnce));
    }
  },
});

async function issueSome(server: Proving, leaves: readonly LeafRow[]): Promise<void> {
  const [{ tenant_id: tenantId } = { tenant_id: 0 }] = leaves;
  const signed: Signed[] = [];
  const key = await server.signing.current();
  for (let from = 0; from < leaves.length; from += signedAtOnce) {
    const fileIds = leaves.slice(from, from + signedAtOnce).map(leaf => leaf.file_id);
    signed.push(...(await signSome(server, key, await listStored(server.database.db, tenantId, fileIds))));
  }
  if (signed.length === 0) return;
  await server.database.db.transaction().execute(tx => store(tx, server, tenantId, signed));
  server.ledger.publishSoon();
}

async function signSome(server: Proving, key: ProofKeyRow, all: readonly Stored[]): Promise<Signed[]> {
  const signed: Signed[] = [];
  for (const stored of all) {
    await othersTurn();
    try {
      signed.push(await sign(server, key, stored));
    } catch (error) {
      if (!(error instanceof EvidenceMismatch || isRejected(error))) throw error;
      const about = { fileId: stored.leaf.file_id, reason: error.message };
      server.log.error(about, 'failed to issue a proof');
    }
  }
  return signed;
}

/** Rejected by the cryptographic policy: a later request is checked again. */
const isRejected = (error: unknown): error is ApiError => error instanceof ApiError && error.kind === 'UNPROCESSABLE';

/** The existing or new proof of the file; null while its batch is not anchored. Throws EvidenceMismatch. */
export async function issueProof(server: Proving, tenantId: Key, fileId: Key): Promise<ProofRow | null> {
  const { db } = server.database;
  const existing = await findProofOfFile(db, tenantId, fileId);
  if (existing !== null) return existing;
  const stored = await findStored(db, tenantId, fileId);
  if (stored === null) return null;
  const signed = await sign(server, await server.signing.current(), stored);
  try {
    const [issued] = await db.transaction().execute(tx => store(tx, server, tenantId, [signed]));
    server.ledger.publishSoon();
    return issued ?? findProofOfFile(db, tenantId, fileId); // another server was faster: its signature is the proof
  } catch (error) {
    if (error instanceof KeyRetired) return issueProof(server, tenantId, fileId);
    throw error;
  }
}

type Signed = {
  readonly file: FileRow;
  readonly leaf: LeafRow;
  readonly key: ProofKeyRow;
  readonly jwsParts: Awaited<ReturnType<typeof signParts>>;
  readonly suites: SignedProofSuites;
  readonly issuedAt: number;
};

async function sign(server: Proving, key: ProofKeyRow, stored: Stored): Promise<Signed> {
  const { file, leaf } = stored;
  const suites = await signedProofSuites(server, leaf.tenant_id);
  const issuedAt = server.clock.now();
  const unsigned = buildStoredProof(stored, { at: issuedAt }, toProofKey(key));
  if (file === null) throw new EvidenceMismatch(`the record of file ${leaf.file_id} is missing`);
  return { file, leaf, key, jwsParts: await signParts(server, key, unsigned), suites, issuedAt };
}

/** The parts of the JWS of a proof that cannot be derived from its evidence. */
export async function signParts({ signing }: Pick<Proving, 'signing'>, key: ProofKeyRow, proof: UnsignedProof) {
  const sign = (message: Uint8Array) => signing.sign(key, message);
  return {
    manifest_sha256: toHex(sha256(proof['manifest.json'])),
    signature: await signInput(toProofSigningInput(proof, toProofKey(key)), sign),
  };
}

/** The key was retired between signing and storing; the retry signs with the new one. */
class KeyRetired extends Error {
  constructor() {
    super('the signing key was retired meanwhile; the proofs are signed again');
  }
}

const groupOf = (file: FileRow): Key => file.version_group_id ?? file.id;

async function store(tx: Tx, server: Proving, tenantId: Key, signed: readonly Signed[]): Promise<ProofRow[]> {
  const now = server.clock.now();
  const files = new Map(signed.map(({ file }) => [file.id, file]));
  const [{ key } = { key: null }] = signed;
  if (key === null || !(await lockActiveKey(tx, server.database.kind, key))) throw new KeyRetired();
  // Under the chain locks, either a newer version is visible here, or its transaction sees this proof.
  await lockVersionChains(tx, server.database.kind, [...files.values()].map(groupOf));
  const outdated = await listOutdated(tx, [...files.keys()]);
  const proofs = await insertProofs(
    tx,
    signed.map(one => toRow(one, outdated.has(one.file.id))),
  );
  if (proofs.length === 0) return [];
  const ids = proofs.map(proof => proof.file_id);
  await setProofStatus(tx, tenantId, ids, 'ISSUED');
  const call = localCall('proofs', tenantId, now);
  await appendAudits(
    tx,
    proofs.map(proof => ({ call, entry: issuedEntry(proof) })),
    now,
  );
  await server.ledger.recordWithin(tx, toIssuedEntries(proofs));
  await emitAll(
    tx,
    proofs.flatMap(proof => toEvents(proof, files.get(proof.file_id) as FileRow)),
    now,
  );
  return proofs;
}

function toRow({ file, leaf, key, jwsParts, suites, issuedAt }: Signed, isOld: boolean) {
  const { tenant_id, id: fileId, version } = file;
  const ids = { fileId: toWireId(fileId), fileVersion: version, leafId: toWireId(leaf.id) };
  return {
    proof_id: toProofId({ tenantId: toWireId(tenant_id), ...ids, chainRecordId: file.file_hash }),
    tenant_id,
    file_id: fileId,
    file_version: version,
    version_group_id: groupOf(file),
    leaf_id: leaf.id,
    key_id: key.key_id,
    key_version: key.key_version,
    status: isOld ? 'SUPERSEDED' : 'ACTIVE',
    status_version: isOld ? 2 : 1,
    reason: isOld ? supersededReason : null,
    ...jwsParts,
    signature_suite: suites.signatureSuite,
    archive_suite: suites.archiveSuite,
    issued_at: issuedAt,
    updated_at: issuedAt,
  } as const;
}

function toEvents(proof: ProofRow, file: FileRow): NewEvent[] {
  const { tenant_id: tenantId, proof_id: proofId } = proof;
  const payload = { fileId: file.id, proofId, ownerId: file.owner_id };
  const isCoalesced = true;
  return [
    { ...toNoticeEvent(issuedNotice(proof, file)), isCoalesced },
    { type: 'proof.issued', tenantId, payload, isCoalesced },
  ];
}

const issuedNotice = (proof: ProofRow, file: FileRow): Notice => ({
  tenantId: proof.tenant_id,
  to: { kind: 'users', userIds: [file.owner_id] },
  type: 'proof-issued',
  payload: { fileId: toWireId(file.id), fileName: file.file_name, proofId: proof.proof_id },
});

const issuedEntry = (proof: ProofRow) => ({
  module: 'proofs',
  operation: 'issue',
  description: `proof of file ${proof.file_id} issued`,
  param: { proofId: proof.proof_id, fileId: proof.file_id, keyId: proof.key_id, keyVersion: proof.key_version },
});
