// Fetches the archive of a proof from the server, and optionally waits for its batch.
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { exportProof } from '@recordproof/shared/api/proofs.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { maxArchiveBytes, type ProofEntries, readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { systemClock } from '@recordproof/shared/transfer/ports.ts';
import { Fixable } from '../platform/fixable.ts';

type FetchedProof = { readonly archive: Uint8Array; readonly entries: ProofEntries; readonly proofId: string };

/** What is left of it, for all files together; only waiting for a proof takes from it. */
export type Patience = { leftMs: number };

type Waiting = {
  readonly patience: Patience;
  readonly signal?: AbortSignal;
  readonly onWait?: () => void;
};

export const isTooEarly = (error: unknown): error is ApiError & { retryAfterSeconds: number } =>
  error instanceof ApiError && error.kind === 'CONFLICT' && error.retryAfterSeconds !== undefined;

const longestPauseMs = 15_000;

/** Throws an ApiError where there is none, or none yet. */
export type FetchArchive = (fileId: string, signal: AbortSignal | undefined) => Promise<Uint8Array>;

export const fetchAlone =
  (client: Client): FetchArchive =>
  async (id, signal) =>
    readBounded(await client.open(exportProof, { params: { id }, ...(signal && { signal }) }));

export async function fetchProof(fetch: FetchArchive, fileId: string, waiting: Waiting): Promise<FetchedProof> {
  const { patience, signal } = waiting;
  for (;;) {
    try {
      return readFetched(await fetch(fileId, signal));
    } catch (error) {
      if (!isTooEarly(error)) throw error;
      if (patience.leftMs <= 0) throw notReady(fileId, error);
      waiting.onWait?.();
      const pauseMs = Math.min(error.retryAfterSeconds * 1000, longestPauseMs, patience.leftMs);
      patience.leftMs -= pauseMs;
      await systemClock.sleep(pauseMs, signal);
    }
  }
}

const notReady = (fileId: string, cause: ApiError): Fixable =>
  new Fixable('later', `there is no proof yet: ${cause.message}`, {
    try: `later: recordproof proofs export ${fileId}`,
    cause,
  });

export function readFetched(archive: Uint8Array): FetchedProof {
  try {
    const entries = readProofArchive(archive);
    const { proofId } = JSON.parse(parseUtf8(entries['manifest.json'])) as { proofId: string };
    return { archive, entries, proofId };
  } catch (cause) {
    throw new Fixable('damaged', 'the answer of the server is not a proof archive', { cause });
  }
}

async function readBounded(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > maxArchiveBytes)
      throw new Fixable('damaged', 'the answer of the server is larger than any proof archive');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
