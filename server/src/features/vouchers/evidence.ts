// Evidence in addition to the proof of a file (docs/spec/vouchers.md sections 4 and 9 to 11): the inclusion proof of
// its entry and the time stamp, both for one checkpoint, and an OpenTimestamps file from the file itself to the
// calendars.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { mostStampedCheckpoints } from '@recordproof/shared/api/vouchers.ts';
import {
  isSameBytes,
  parseDigest,
  parseHex,
  parseUtf8,
  toBase64,
  toUtf8,
} from '@recordproof/shared/evidence/digest.ts';
import { writeEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { otsPath, writeOts } from '@recordproof/shared/evidence/ots.ts';
import { fileToRoot } from '@recordproof/shared/evidence/ots-file-path.ts';
import { readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { type CheckpointRow, findCheckpoint } from '../chain/index.ts';
import { getProof, type Proven, type Proving as ProvingFiles, writeArchive } from '../proofs/index.ts';
import type { VoucherKind } from './migrations.ts';
import { findEarliestMeeting, findVouchers, listVouchedSizes } from './queries.ts';
import { mergeCalendarAnswers } from './request-ots-stamp.ts';
import { chooseFor, cosign, type Entry, findEntry, findPath, type Proving, writeEntryProof } from './tlog-proof.ts';

export type EvidenceServer = Proving & ProvingFiles;

/** Calendars are excluded, because they attest hours later. */
const waitedFor: readonly VoucherKind[] = ['WITNESS', 'RFC3161'];

/** `fromSize` as for `chooseCheckpoint`. */
export type PackOptions = { readonly isVouched?: boolean; readonly fromSize?: number };

/**
 * Only the archive if no vouchers are configured. With `isVouched` it throws NOT_VOUCHED until all configured vouchers
 * are available.
 */
export async function packEvidence(
  server: EvidenceServer,
  proven: Proven,
  { isVouched = false, fromSize = 0 }: PackOptions = {},
): Promise<Uint8Array> {
  const proof = await getProof(server, proven);
  const archive = await writeArchive(server, { ...proven, proof });
  const { targets } = server;
  const entry = targets.length === 0 ? undefined : await whereFound(findEntry(server.database.db, proof.proof_id));
  if (entry === undefined) return writeEvidenceArchive({ archive });
  const chosen = await whereVouched(chooseFor(server, entry, fromSize), isVouched);
  if (isVouched && chosen?.missing.some(kind => waitedFor.includes(kind)) === true) throw notVouched();
  const ots = await findOts(server, archive, entry, fromSize);
  if (chosen === undefined) return writeEvidenceArchive({ archive, ots });
  const { checkpoint } = chosen;
  const tlogProof = await writeEntryProof(server, entry, checkpoint);
  return writeEvidenceArchive({ archive, tlogProof, stamp: await findStamp(server, checkpoint), ots });
}

const notVouched = (cause?: ApiError): ApiError =>
  new ApiError('CONFLICT', 'no third party has confirmed the time of this proof yet; try again later', {
    detail: { reason: 'NOT_VOUCHED' },
    retryAfterSeconds: cause?.retryAfterSeconds ?? 2,
    ...(cause !== undefined && { cause }),
  });

async function whereFound<T>(finding: Promise<T>): Promise<T | undefined> {
  return finding.catch(error => {
    if (error instanceof ApiError && error.kind === 'NOT_FOUND') return undefined;
    throw error;
  });
}

async function whereVouched<T>(choosing: Promise<T>, isVouched: boolean): Promise<T | undefined> {
  return choosing.catch(error => {
    if (!(error instanceof ApiError) || error.kind !== 'CONFLICT') throw error;
    if (isVouched) throw notVouched(error);
    return undefined;
  });
}

/** The time stamp of the checkpoint in the tlog-proof of this proof. */
export async function getStamp(server: Proving, proofId: string, fromSize = 0): Promise<Uint8Array> {
  const entry = await findEntry(server.database.db, proofId);
  const { checkpoint } = await chooseFor(server, entry, fromSize);
  const stamp = await findStamp(server, checkpoint);
  if (stamp !== undefined) return stamp;
  throw new ApiError('NOT_FOUND', 'no time-stamping authority has stamped the checkpoint of this proof', {
    detail: { reason: 'NOT_STAMPED' },
  });
}

/** The newest checkpoints with a time stamp, with all of theirs. */
export async function listStamps({ db }: Proving['database']) {
  const checkpoints: { size: number; checkpoint: string; stamps: { authority: string; tsr: string }[] }[] = [];
  for (const size of await listVouchedSizes(db, 'RFC3161', mostStampedCheckpoints)) {
    const row = await findCheckpoint(db, size);
    if (row === null) continue;
    const stamps = (await findVouchers(db, size, 'RFC3161')).map(({ target, content }) => ({
      authority: target,
      tsr: toBase64(content),
    }));
    checkpoints.push({ size, checkpoint: parseUtf8(await cosign(db, row)), stamps });
  }
  return { checkpoints };
}

async function findStamp({ database }: Pick<Proving, 'database'>, { size }: CheckpointRow) {
  const [stamp] = await findVouchers(database.db, size, 'RFC3161');
  return stamp?.content;
}

export async function getOts(server: EvidenceServer, proven: Proven, fromSize = 0): Promise<Uint8Array> {
  const proof = await getProof(server, proven);
  const archive = await writeArchive(server, { ...proven, proof });
  const ots = await findOts(server, archive, await findEntry(server.database.db, proof.proof_id), fromSize);
  if (ots !== undefined) return ots;
  throw new ApiError('NOT_FOUND', 'no OpenTimestamps calendar attests this file', {
    detail: { reason: 'NOT_IN_CALENDAR' },
  });
}

/**
 * Returns undefined if no calendar has answered, or if the path from the file cannot be expressed as operations: for
 * entries of batches.
 */
async function findOts(
  { database: { db }, ledger, log }: Pick<EvidenceServer, 'database' | 'ledger' | 'log'>,
  archive: Uint8Array,
  entry: Entry,
  fromSize: number,
): Promise<Uint8Array | undefined> {
  const bytes = toUtf8(entry.entry);
  if (parseLedgerEntry(bytes).kind !== 'PROOF_ISSUED') return undefined;
  const size = await findEarliestMeeting(db, { kind: 'OTS', count: 1 }, Math.max(entry.position + 1, fromSize));
  const checkpoint = size === null ? null : await findCheckpoint(db, size);
  if (checkpoint === null) return undefined;
  const answers = (await findVouchers(db, checkpoint.size, 'OTS')).map(({ content }) => content);
  const { 'file.hash': fileHash, 'manifest.json': manifest } = readProofArchive(archive);
  const path = await findPath(ledger, entry.position, checkpoint.size);
  try {
    const way = fileToRoot({
      ...{ fileHash, manifest, entry: bytes },
      ...{ index: entry.position, treeSize: checkpoint.size, path },
    });
    const root = mergeCalendarAnswers(parseHex(checkpoint.root), answers);
    const digest = parseDigest(parseUtf8(fileHash).trimEnd());
    const whole = otsPath(digest, way, message => {
      if (!isSameBytes(message, root.message)) throw new RangeError('the operations do not lead to the root');
      return root;
    });
    return writeOts({ hash: 'sha256', root: whole });
  } catch (error) {
    // A manifest of more than 4,096 bytes cannot be expressed as operations.
    log.warn(
      { position: entry.position, error: toErrorText(error) },
      'failed to build the OpenTimestamps file of a proof',
    );
    return undefined;
  }
}
