// The C2SP tlog-proof of a proof's entry on the ledger (docs/spec/vouchers.md section 4), about the earliest checkpoint
// that covers the entry and has the quorum of cosignatures.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { openNodes } from '@recordproof/shared/evidence/log-reader.ts';
import { hashRanges, inclusionRanges } from '@recordproof/shared/evidence/merkle-ranges.ts';
import { addSignatureLines } from '@recordproof/shared/evidence/signed-note.ts';
import { isProofOf, parseTlogProof, writeTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { sha256 } from '@recordproof/shared/node/sha256.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { listLeavesOfFiles, toBatchNo } from '../attestation/index.ts';
import {
  type CheckpointRow,
  checkLeafHash,
  findCheckpoint,
  findNewestCheckpoint,
  LedgerDamaged,
  listEntriesAbout,
} from '../chain/index.ts';
import { findIssuedEntry, findProof } from '../proofs/index.ts';
import { findMostVouchedSize, findQuorumSize, listVouchers } from './queries.ts';
import { readTileOf, type VoucherTarget } from './targets.ts';

export type Proving = Pick<Server, 'database' | 'ledger' | 'clock' | 'config'> & {
  readonly targets: readonly VoucherTarget[];
};

type Entry = Awaited<ReturnType<typeof listEntriesAbout>>[number];

/** So long an entry waits for its quorum before it is shown with what there is. */
const quorumWaitMs = 60_000;

export async function makeTlogProof(server: Proving, proofId: string): Promise<Uint8Array> {
  const { database, ledger } = server;
  const entry = await findEntry(database.db, proofId);
  const checkpoint = await chooseCheckpoint(server, entry);
  const { position } = entry;
  const nodes = openNodes(readTileOf(ledger), checkpoint.size, sha256);
  const leafHash = checkLeafHash(entry);
  const proof = writeTlogProof({
    index: position,
    path: await hashRanges(inclusionRanges(position, checkpoint.size), nodes, sha256),
    extra: toUtf8(entry.entry),
    checkpoint: await cosign(database.db, checkpoint),
  });
  if (!isProofOf(leafHash, parseTlogProof(proof), sha256))
    throw new LedgerDamaged(`entry ${position} is not under the checkpoint of size ${checkpoint.size}`);
  return proof;
}

async function findEntry(db: Db, proofId: string): Promise<Entry> {
  const proof = await findProof(db, proofId);
  if (proof === null) throw new ApiError('NOT_FOUND', 'no such proof');
  const issued = await findIssuedEntry(db, proof);
  if (issued !== null) return issued;
  const leaves = await listLeavesOfFiles(db, proof.tenant_id, [proof.file_id]);
  const own = leaves.find(({ leaf }) => leaf.id === proof.leaf_id);
  const [entry] = own === undefined ? [] : await listEntriesAbout(db, 'BATCH_ROOT', [toBatchNo(own.batch.id)]);
  if (entry === undefined) throw new ApiError('NOT_FOUND', 'the batch of this proof is not on the ledger');
  return entry;
}

const notYet = (what: string, retryAfterSeconds: number): ApiError =>
  new ApiError('CONFLICT', `${what}; ask again`, { retryAfterSeconds });

async function chooseCheckpoint(
  { database: { db }, ledger, clock, config, targets }: Proving,
  { position, recorded_at }: Entry,
): Promise<CheckpointRow> {
  // Where an entry of just now cannot be published, the checkpoint of before is all there is.
  await ledger.publishUpTo(position).catch(() => {});
  const newest = await findNewestCheckpoint(db);
  if (newest === null || newest.size <= position) throw notYet('no checkpoint covers the entry of this proof yet', 1);
  const { quorum } = config.ledger;
  if (quorum === 0) return newest;
  const names = targets.filter(({ kind }) => kind === 'WITNESS').map(({ name }) => name);
  const covering = { kind: 'WITNESS', targets: names, position } as const;
  const vouched = await findQuorumSize(db, covering, quorum);
  if (vouched !== null) return (await findCheckpoint(db, vouched)) ?? newest;
  if (clock.now() - recorded_at < quorumWaitMs) throw notYet('too few witnesses have cosigned the entry so far', 2);
  const most = await findMostVouchedSize(db, covering);
  return (most === null ? null : await findCheckpoint(db, most)) ?? newest;
}

/** The last release reads at most so many signatures beside that of the log. */
const mostLines = 15;

/** The note with the cosignatures that are stored for it. */
export async function cosign(db: Db, { size, note }: CheckpointRow): Promise<Uint8Array> {
  const vouchers = await listVouchers(db, 'WITNESS', size);
  const lines = vouchers.flatMap(({ content }) => parseUtf8(content).split('\n').slice(0, -1));
  const signed = toUtf8(note);
  if (lines.length === 0) return signed;
  return addSignatureLines(signed, `${lines.slice(0, mostLines).join('\n')}\n`);
}
