// Idempotency keys: a single upload that its client may send again when the outcome is unknown. One key yields one
// upload, for a day, from any number of calls.
import { createHash, randomUUID } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Actor, ownerOf } from '../../platform/http/caller.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { findUpload } from '../upload-sessions/index.ts';
import { findRepeatable, forgetRepeatables, forgetRequests, keepRepeatable, renameRepeatable } from './queries.ts';

const keyForm = /^[A-Za-z0-9_-]{1,64}$/;
/** How long idempotency keys, and the request ids of bulk uploads, are kept. */
export const requestsKeptMs = 24 * 3600_000;

/** Returns null if the client sent none. */
export function parseIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && keyForm.test(header)) return header;
  throw new ApiError('PARAM_IS_INVALID', 'Idempotency-Key: 1 to 64 letters, digits, "_" or "-"');
}

type Repeatable = {
  readonly key: string;
  /** The request's parameters and digest: equal content is the same upload. */
  readonly content: Readonly<Record<string, string | number | undefined>>;
};

/** The clientId of the upload under this key; throws REQUEST_ID_REUSED if it belongs to another file. */
export async function claimClientId(
  { database: { db }, clock }: Pick<Server, 'database' | 'clock'>,
  actor: Actor,
  { key, content }: Repeatable,
): Promise<string> {
  const owner = ownerOf(actor);
  const fingerprint = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const now = clock.now();
  const fresh = { key, fingerprint, clientId: randomUUID(), expiresAt: now + requestsKeptMs };
  if (await keepRepeatable(db, owner, fresh, now)) return fresh.clientId;
  const existing = await findRepeatable(db, owner, key);
  if (existing?.fingerprint !== fingerprint)
    throw new ApiError('REQUEST_ID_REUSED', 'this Idempotency-Key was used for another file; choose a new one');
  const upload = await findUpload(db, owner, existing.client_id);
  if (upload?.status !== 'CANCELLED') return existing.client_id;
  // The earlier upload failed: this one starts over.
  await renameRepeatable(db, owner, { key, from: existing.client_id, to: fresh.clientId });
  return (await findRepeatable(db, owner, key))?.client_id ?? fresh.clientId;
}

export const forgetJobKind = 'file-uploads.forget';

/** Deletes idempotency keys, and request ids of bulk uploads, after their day. */
export const forgetJob = ({ database: { db }, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: forgetJobKind,
  leaseSeconds: 60,
  maxAttempts: 5,
  backoffSeconds: exponentialBackoff(10, 600),
  run: async () => {
    const now = clock.now();
    await forgetRepeatables(db, now);
    await forgetRequests(db, now - requestsKeptMs);
  },
});
