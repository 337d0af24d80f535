// Fetching missing proofs of stored files with their vouchers, with few calls, as soon as the server has them.
import { lstat } from 'node:fs/promises';
import { type BulkAnswer, mostBulkAnswers } from '@recordproof/shared/api/bulk-answers.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { maxEvidenceBytes, writeEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { askForMany } from '@recordproof/shared/transfer/bulk-answers.ts';
import { isPassing } from '@recordproof/shared/transfer/retry.ts';
import { toFailure } from '../platform/failure.ts';
import { openProofs } from '../proofs/bulk-proofs.ts';
import { isTooEarly, readFetched } from '../proofs/fetch-proof.ts';
import { writeVouchers } from '../proofs/write-evidence.ts';
import { writeArchive } from './archives.ts';
import type { WatchEvent } from './events.ts';
import type { Version } from './memory.ts';
import { diskPathOf, type Watching } from './watching.ts';

const leastPauseSeconds = 1;
const longestPauseSeconds = 15;
/** The interval at which the server is asked whether it makes proofs again. */
const pauseWhileOffSeconds = 60;

/** The number of seconds until the next attempt; 0 where there may be more at once. */
export async function writeProofs(watching: Watching): Promise<number> {
  const { transfers, memory, isVouched } = watching;
  const items = [...memory.unproved].slice(0, mostBulkAnswers);
  if (items.length === 0) return 0;
  let pauseSeconds = 0;
  await askForMany({
    items,
    open: openProofs(transfers.server.client, isVouched),
    maxBytes: maxEvidenceBytes,
    take: async (fileId, answer) => {
      const version = memory.versions.get(fileId);
      if (version === undefined) return;
      const pause = toPause(answer);
      if (pause === undefined) await watching.note(await keep(watching, fileId, version, answer));
      else pauseSeconds = Math.max(pauseSeconds, pause);
    },
    signal: transfers.signal,
  });
  return pauseSeconds;
}

/** Undefined where the answer is final. */
function toPause(answer: BulkAnswer): number | undefined {
  if (!(answer instanceof Error)) return undefined;
  if (isTooEarly(answer)) return Math.min(longestPauseSeconds, Math.max(leastPauseSeconds, answer.retryAfterSeconds));
  if (isPassing(answer)) return longestPauseSeconds;
  return toFailure(answer, '').api?.detail?.reason === 'ATTESTATION_OFF' ? pauseWhileOffSeconds : undefined;
}

async function keep(
  watching: Watching,
  fileId: string,
  storedVersion: Version,
  answer: BulkAnswer,
): Promise<WatchEvent> {
  const { path, version, contentHash } = storedVersion;
  const none = (why: string): WatchEvent => ({ event: 'no-proof', path, fileId, version, why });
  if (answer instanceof Error) return none(answer.message);
  const { evidence, entries, proofId } = readFetched(answer);
  if (parseUtf8(entries['file.hash']) !== `${contentHash}\n`)
    return none('the proof from the server is that of another file');
  try {
    const target = { file: diskPathOf(watching.archives, storedVersion), form: watching.form };
    const bytes = target.form === 'evidence' ? writeEvidenceArchive(evidence) : evidence.archive;
    const archive = await writeArchive(target, version, bytes);
    if (target.form === 'proof') await writeVouchers(archive, evidence, false);
    return { event: 'proved', path, fileId, version, proofId, archive };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw error;
    return none('the name of its archive is too long for this disk');
  }
}

/** Archives of newest versions that are missing on the disk. */
export async function noteMissingArchives(watching: Watching): Promise<void> {
  const { memory } = watching;
  const events: WatchEvent[] = [];
  for (const [path, { stored, isGone }] of memory.files) {
    const archive = stored && memory.versions.get(stored.fileId)?.archive;
    if (!stored || isGone || archive === undefined) continue;
    const isThere = await lstat(archive).catch(() => undefined);
    if (!isThere) events.push({ event: 'proof-missing', path, fileId: stored.fileId });
  }
  await watching.note(...events);
}
