// The C2SP tlog-proof of a proof's ledger entry (docs/spec/vouchers.md section 4), with the cosignatures of its
// checkpoint.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { openNodes } from '@recordproof/shared/evidence/log-reader.ts';
import { hashRanges, inclusionRanges } from '@recordproof/shared/evidence/merkle-ranges.ts';
import { addSignatureLines, parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { isProofOf, parseTlogProof, writeTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { listLeavesOfFiles, toBatchNo } from '../attestation/index.ts';
import { type CheckpointRow, checkLeafHash, LedgerDamaged, listEntriesAbout } from '../chain/index.ts';
import { findIssuedEntry, findProof } from '../proofs/index.ts';
import { type Choosing, chooseCheckpoint } from './choose-checkpoint.ts';
import { findVouchers } from './queries.ts';
import { readTileOf } from './targets.ts';

export type Proving = Choosing & Pick<Server, 'ledger' | 'config'>;

export type Entry = Awaited<ReturnType<typeof listEntriesAbout>>[number];

/** `fromSize` as for `chooseCheckpoint`. */
export async function makeTlogProof(server: Proving, proofId: string, fromSize = 0): Promise<Uint8Array> {
  const entry = await findEntry(server.database.db, proofId);
  const { checkpoint } = await chooseFor(server, entry, fromSize);
  return writeEntryProof(server, entry, checkpoint);
}

/** As `chooseCheckpoint`, after publishing a very recent entry. */
export async function chooseFor(server: Proving, entry: Entry, fromSize = 0) {
  // If publication fails, the earlier checkpoint is used.
  await server.ledger.publishUpTo(entry.position).catch(() => {});
  return chooseCheckpoint(server, entry, fromSize);
}

/** For an entry under a checkpoint, with all stored cosignatures. */
export async function writeEntryProof(
  { database, ledger }: Pick<Proving, 'database' | 'ledger'>,
  entry: Entry,
  checkpoint: CheckpointRow,
): Promise<Uint8Array> {
  const { position } = entry;
  const leafHash = checkLeafHash(entry);
  const proof = writeTlogProof({
    index: position,
    path: await findPath(ledger, position, checkpoint.size),
    extra: toUtf8(entry.entry),
    checkpoint: await cosign(database.db, checkpoint),
  });
  if (!isProofOf(leafHash, parseTlogProof(proof)))
    throw new LedgerDamaged(`entry ${position} is not under the checkpoint of size ${checkpoint.size}`);
  return proof;
}

export const findPath = (ledger: Server['ledger'], position: number, size: number): Promise<Uint8Array[]> =>
  hashRanges(inclusionRanges(position, size), openNodes(readTileOf(ledger), size));

export async function findEntry(db: Db, proofId: string): Promise<Entry> {
  const proof = await findProof(db, proofId);
  if (proof === null) throw new ApiError('NOT_FOUND', `there is no proof ${proofId}`);
  const issued = await findIssuedEntry(db, proof);
  if (issued !== null) return issued;
  const leaves = await listLeavesOfFiles(db, proof.tenant_id, [proof.file_id]);
  const own = leaves.find(({ leaf }) => leaf.id === proof.leaf_id);
  const [entry] = own === undefined ? [] : await listEntriesAbout(db, 'BATCH_ROOT', [toBatchNo(own.batch.id)]);
  if (entry === undefined) throw new ApiError('NOT_FOUND', `the batch of proof ${proofId} is not on the ledger`);
  return entry;
}

/** The previous release reads at most this many signatures. */
const mostLines = 16;

/** The note with its stored cosignatures. */
export async function cosign(db: Db, { size, note }: CheckpointRow): Promise<Uint8Array> {
  const vouchers = await findVouchers(db, size, 'WITNESS');
  const lines = vouchers.flatMap(({ content }) => parseUtf8(content).split('\n').slice(0, -1));
  const signed = toUtf8(note);
  if (lines.length === 0) return signed;
  const most = mostLines - parseSignedNote(signed).signatures.length;
  return addSignatureLines(signed, `${lines.slice(0, most).join('\n')}\n`);
}
