// Client of a time-stamping authority (RFC 3161, docs/spec/vouchers.md section 9): stamps the text of a checkpoint and
// verifies the response, which is stored unchanged.
import { randomBytes } from 'node:crypto';
import { sha256, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { checkStamp, writeStampRequest } from '@recordproof/shared/evidence/rfc3161.ts';
import { parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { verifySignature } from '@recordproof/shared/node/verify-signature.ts';
import { toIso } from '../../platform/clock.ts';
import { boundedFetch } from '../../platform/http/bounded-fetch.ts';
import type { Server } from '../../platform/server.ts';

/** An authority states its own time; a larger difference from our clock is rejected. */
const maxClockDifferenceMs = 5 * 60_000;
const nonceBytes = 16;

export type StampAuthority = Server['config']['ledger']['authorities'][number];

type TimeStampRequest = {
  /** The signed checkpoint. */
  readonly note: Uint8Array;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
};

/** Rejects with a message that contains no credentials. */
export async function requestTimeStamp(
  { url, policy, roots, credentials }: StampAuthority,
  { note, nowMs, signal }: TimeStampRequest,
): Promise<{ content: Uint8Array; statedAt: number }> {
  const digest = sha256(toUtf8(parseSignedNote(note).text));
  const nonce = new Uint8Array(randomBytes(nonceBytes));
  const { status, body } = await boundedFetch(url, {
    method: 'POST',
    body: writeStampRequest(digest, nonce, policy),
    headers: {
      'content-type': 'application/timestamp-query',
      accept: 'application/timestamp-reply',
      ...(credentials && { authorization: `Basic ${Buffer.from(credentials.reveal()).toString('base64')}` }),
    },
    signal,
  });
  // The response body is omitted: it may repeat the request.
  const { host } = new URL(url);
  if (status !== 200)
    throw new Error(
      `the authority ${host} answered ${status}: check ledger.stamp-authorities and ledger.stamp-credentials`,
    );
  const expected = { digest, nonce, roots, verify: verifySignature, ...(policy !== undefined && { policy }) };
  const { info } = await checkStamp(body, expected);
  const now = nowMs();
  if (Math.abs(info.timeMs - now) > maxClockDifferenceMs)
    throw new Error(
      `the time stamp of the authority ${host} states ${toIso(info.timeMs)}, but this server has ${toIso(now)}: synchronize its clock, or use another authority`,
    );
  return { content: body, statedAt: info.timeMs };
}
