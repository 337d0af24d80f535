// Client of a witness (C2SP tlog-witness, docs/spec/vouchers.md section 6): sends the checkpoint, continues from the
// size in a 409 response, and verifies every cosignature. Time and size of each response are limited.
import { verifyCosignature } from '@recordproof/shared/evidence/cosignature.ts';
import { parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import type { TypedNoteKey } from '@recordproof/shared/evidence/note-keys.ts';
import { parseSignatureLines, parseSignedNote, type SignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import {
  collectCosignatures,
  parseConflict,
  toAddCheckpointBody,
} from '@recordproof/shared/evidence/witness-client.ts';
import { verifyMlDsa44 } from '@recordproof/shared/node/ml-dsa.ts';
import { boundedFetch } from '../../platform/http/bounded-fetch.ts';
import { verifyEd25519 } from '../chain/index.ts';

const verifiers = { ed25519: verifyEd25519, mlDsa44: verifyMlDsa44 };
/** Rejects replayed cosignatures, and clocks that differ by more. */
const maxClockDifferenceMs = 10 * 60_000;
/** Another server may send a newer checkpoint to the witness in between. */
const mostRequests = 3;

type CosignatureRequest = {
  /** The submission prefix. */
  readonly url: string;
  readonly keys: readonly TypedNoteKey[];
  readonly note: Uint8Array;
  readonly size: number;
  /** The assumed size at the witness. */
  readonly oldSize: number;
  readonly prove: (oldSize: number) => Promise<readonly Uint8Array[]>;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
};

export async function requestCosignature(
  request: CosignatureRequest,
): Promise<{ content: Uint8Array; statedAt: number }> {
  const { url, note, size, signal } = request;
  const witness = toWitness(url);
  let { oldSize } = request;
  for (let sent = 0; sent < mostRequests; sent++) {
    const body = toAddCheckpointBody({ oldSize, proof: await request.prove(oldSize), checkpoint: note });
    const answer = await boundedFetch(`${url}/add-checkpoint`, { method: 'POST', body, signal });
    if (answer.status === 200) return readCosignatures(answer.body, request);
    if (answer.status !== 409 || answer.type !== 'text/x.tlog.size') throw toFailure(witness, answer);
    const kept = parseConflict(answer.body);
    if (kept === oldSize)
      throw new Error(`${witness} has another tree of ${kept} entries: check that this database was not replaced`);
    if (kept > size)
      throw new Error(
        `${witness} has seen ${kept} entries of this ledger, which has ${size}: check that this is not an older backup`,
      );
    oldSize = kept;
  }
  throw new Error(`${witness} named another size in each of ${mostRequests} responses: tell its operator`);
}

async function readCosignatures(answer: Uint8Array, { url, note, keys, nowMs }: CosignatureRequest) {
  const signed = parseSignedNote(note);
  const lines = await collectCosignatures(answer, signed, keys, verifiers);
  const times = await listTimes({ text: signed.text, signatures: parseSignatureLines(lines) }, keys);
  if (times.length === 0) throw new Error(`the cosignature of ${toWitness(url)} has no time`);
  const now = nowMs();
  const differenceMs = Math.max(...times.map(time => Math.abs(time - now)));
  if (differenceMs > maxClockDifferenceMs)
    throw new Error(
      `the time of the cosignature of ${toWitness(url)} differs by ${Math.round(differenceMs / 1000)} s from the clock of this server: synchronize the clocks`,
    );
  return { content: toUtf8(lines), statedAt: Math.max(...times) };
}

/** In milliseconds, one per signing key; 1970 for a key without a time. */
async function listTimes(note: SignedNote, keys: readonly TypedNoteKey[]): Promise<number[]> {
  const verdicts = await Promise.all(keys.map(key => verifyCosignature(note, key, verifiers)));
  return verdicts.flatMap(verdict => (verdict.state === 'VALID' ? [(verdict.timeSeconds ?? 0) * 1000] : []));
}

/** The subject of error sentences. */
const toWitness = (url: string): string => `the witness ${new URL(url).host}`;

function toFailure(witness: string, { status, body }: { readonly status: number; readonly body: Uint8Array }): Error {
  const text = printable(body);
  return new Error(`${witness} answered ${status}${text === '' ? '' : `: ${text}`}`);
}

/** An error response for people: its first line, without control characters. */
function printable(body: Uint8Array): string {
  try {
    return (parseUtf8(body.subarray(0, 200)).split('\n')[0] ?? '').replace(/\p{Cc}/gu, ' ').trim();
  } catch {
    return '';
  }
}
