// Fetching the proof of a file with its vouchers from the server, optionally with a wait for its batch and for
// vouchers.
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type Evidence, isEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { type ProofEntries, readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { fetchEvidenceBytes, toEvidence } from '@recordproof/shared/transfer/fetch-evidence.ts';
import { systemClock } from '@recordproof/shared/transfer/ports.ts';
import { CommandError } from '../platform/command-error.ts';
import type { ArchiveForm } from './archive-names.ts';

type FetchedProof = { readonly evidence: Evidence; readonly entries: ProofEntries; readonly proofId: string };

/** The remaining time, for all files together; only waiting for a proof uses it up. */
export type TimeLeft = { leftMs: number };

export type Waiting = {
  readonly timeLeft: TimeLeft;
  /** Waits for vouchers of its time. */
  readonly isVouched?: boolean;
  /** The final output, for the command that a message names. */
  readonly form?: ArchiveForm;
  readonly signal?: AbortSignal;
  readonly onWait?: () => void;
};

export const isTooEarly = (error: unknown): error is ApiError & { retryAfterSeconds: number } =>
  error instanceof ApiError && error.kind === 'CONFLICT' && error.retryAfterSeconds !== undefined;

const longestPauseMs = 15_000;

/** A proof archive or an evidence archive. Throws an ApiError where there is none, or none yet. */
export type FetchArchive = (fileId: string, signal: AbortSignal | undefined, isVouched: boolean) => Promise<Uint8Array>;

export const fetchAlone =
  (client: Client): FetchArchive =>
  (id, signal, isVouched) =>
    fetchEvidenceBytes(client, id, { isVouched, signal });

const isUnvouched = (error: ApiError): boolean => error.detail?.reason === 'NOT_VOUCHED';

/** `unvouched`: the proof is here, and the requested vouchers are not. */
export async function fetchProof(
  fetch: FetchArchive,
  fileId: string,
  waiting: Waiting,
): Promise<FetchedProof & { readonly unvouched?: CommandError }> {
  const { timeLeft, signal, form = 'proof' } = waiting;
  let isVouched = waiting.isVouched ?? false;
  for (;;) {
    try {
      const bytes = await fetch(fileId, signal, isVouched);
      const fetched = readFetched(bytes);
      if (waiting.isVouched !== true) return fetched;
      if (!isEvidenceArchive(bytes)) return { ...fetched, unvouched: noVouchers({ fileId, form }) };
      return isVouched ? fetched : { ...fetched, unvouched: notVouched({ fileId, form }) };
    } catch (error) {
      if (!isTooEarly(error)) throw error;
      if (timeLeft.leftMs <= 0 && isVouched && isUnvouched(error)) {
        isVouched = false;
        continue;
      }
      if (timeLeft.leftMs <= 0) throw notReady(fileId, error);
      waiting.onWait?.();
      const pauseMs = Math.min(error.retryAfterSeconds * 1000, longestPauseMs, timeLeft.leftMs);
      timeLeft.leftMs -= pauseMs;
      await systemClock.sleep(pauseMs, signal);
    }
  }
}

const notReady = (fileId: string, cause: ApiError): CommandError =>
  new CommandError('later', `there is no proof yet: ${cause.message}`, {
    try: `later: recordproof proofs export ${fileId}`,
    cause,
  });

type Named = { readonly fileId: string; readonly form: ArchiveForm };

const exportLater = (fileId: string, form: ArchiveForm, flag: string): string =>
  `recordproof proofs export ${fileId}${form === 'evidence' ? ' --one-file' : ''} --force${flag}`;

const noVouchers = ({ fileId, form }: Named): CommandError =>
  new CommandError('later', 'the release of this server hands out no vouchers; the proof itself is written', {
    try: `once the server is upgraded: ${exportLater(fileId, form, ' --wait-vouched')}`,
  });

const notVouched = ({ fileId, form }: Named): CommandError =>
  new CommandError('later', 'no third party has confirmed the time of its proof yet; the proof itself is written', {
    try: `later: ${exportLater(fileId, form, '')}`,
  });

export function readFetched(bytes: Uint8Array): FetchedProof {
  try {
    const evidence = toEvidence(bytes);
    const entries = readProofArchive(evidence.archive);
    const { proofId } = JSON.parse(parseUtf8(entries['manifest.json'])) as { proofId: string };
    return { evidence, entries, proofId };
  } catch (cause) {
    throw new CommandError('damaged', 'the response of the server is not a proof archive', { cause });
  }
}
