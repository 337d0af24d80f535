// Requests for the proof of one file with its vouchers. A server of an earlier release, without vouchers, is asked for
// the proof archive alone.
import { type Client, TransportError } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { exportProof } from '../api/proofs.ts';
import { exportEvidence } from '../api/vouchers.ts';
import { joinBytes } from '../evidence/digest.ts';
import {
  type Evidence,
  isEvidenceArchive,
  maxEvidenceBytes,
  readEvidenceArchive,
} from '../evidence/evidence-archive.ts';
import { TransferError } from './transfer-error.ts';

type EvidenceOptions = { readonly isVouched?: boolean; readonly signal?: AbortSignal | undefined };

/** A proof archive or an evidence archive. Throws an ApiError if there is none (yet). */
export async function fetchEvidenceBytes(
  client: Pick<Client, 'open'>,
  fileId: string,
  { isVouched = false, signal }: EvidenceOptions,
): Promise<Uint8Array> {
  const request = { params: { id: fileId }, ...(signal && { signal }) };
  const response = await withProofFallback(
    () => client.open(exportEvidence, { ...request, query: { vouched: isVouched ? 'true' : 'false' } }),
    () => client.open(exportProof, request),
  );
  return readBounded(response, maxEvidenceBytes, 'proof');
}

export async function fetchEvidence(
  client: Pick<Client, 'open'>,
  fileId: string,
  signal: AbortSignal,
): Promise<Evidence> {
  return toEvidence(await fetchEvidenceBytes(client, fileId, { signal }));
}

export function toEvidence(bytes: Uint8Array): Evidence {
  try {
    return isEvidenceArchive(bytes) ? readEvidenceArchive(bytes) : { archive: bytes };
  } catch (cause) {
    throw new TransferError('wrong-answer', 'the response of the server is not a proof archive', cause);
  }
}

/**
 * A server of an earlier release answers NOT_FOUND to unknown endpoints, which the CLI interprets as a wrong server
 * URL.
 */
export async function withProofFallback<T>(evidence: () => Promise<T>, archive: () => Promise<T>): Promise<T> {
  try {
    return await evidence();
  } catch (error) {
    if (!isNotFound(error) && !(error instanceof TransportError && isNotFound(error.cause))) throw error;
    return archive();
  }
}

const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.kind === 'NOT_FOUND';

/** `what` is read, for the error where it is larger. With a reader, because not every browser iterates streams. */
export async function readBounded({ body }: Response, maxBytes: number, what: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    bytes += next.value.length;
    if (bytes > maxBytes) {
      await reader?.cancel();
      throw new TransferError('wrong-answer', `the ${what} exceeds the limit of ${maxBytes} bytes`);
    }
    parts.push(next.value);
  }
  return joinBytes(parts);
}
