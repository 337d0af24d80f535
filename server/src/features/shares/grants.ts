// Grants: signed statements that a share was opened, by which account (private shares), and until when. They are not
// stored: a grant saves counting again, and is worthless once the share has ended. Of the downloads under a grant, the
// first response with bytes of a file is recorded; further parts belong to the same download.
import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { hasRow, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { isPrivate } from './policy.ts';
import type { ShareRow } from './queries.ts';

export const grantLifetimeMs = 60 * 60_000;

type GrantClaims = {
  readonly expiresAt: Time;
  readonly generation: number;
  /** The account that opened a private share; 0 for a public one. */
  readonly holder: Key;
};

export type Grant = { readonly text: string; readonly expiresAt: Time };

const label = 'recordproof-share-grant-v1';

/** Every field has letters and digits only, so that fields cannot be shifted. */
const sign = (key: KeyObject, code: string, { expiresAt, generation, holder }: GrantClaims): Buffer =>
  createHmac('sha256', key).update([label, code, expiresAt, generation, holder].join('\n')).digest();

export function issueGrant(key: KeyObject, share: ShareRow, holder: Key, now: Time): Grant {
  const expiresAt = now + grantLifetimeMs;
  const claims = { expiresAt, generation: share.generation, holder: isPrivate(share) ? holder : 0 };
  const signature = sign(key, share.code, claims).toString('base64url');
  return { text: `${expiresAt}.${claims.generation}.${claims.holder}.${signature}`, expiresAt };
}

const form = /^(\d{1,15})\.(\d{1,9})\.(\d{1,15})\.([A-Za-z0-9_-]{43})$/;

/** Returns null for a grant not signed by this server for this code, or an expired one. */
export function readGrant(key: KeyObject, code: string, text: string | undefined, now: Time): GrantClaims | null {
  const [, expiresAt, generation, holder, signature] = form.exec(text ?? '') ?? [];
  if (signature === undefined || !/^[0-9A-Za-z]+$/.test(code)) return null;
  const claims = { expiresAt: Number(expiresAt), generation: Number(generation), holder: Number(holder) };
  const received = Buffer.from(signature, 'base64url');
  const expected = sign(key, code, claims);
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return null;
  return claims.expiresAt > now ? claims : null;
}

export const isGrantFor = (claims: GrantClaims | null, share: ShareRow, holder: Key): boolean =>
  claims !== null && claims.generation === share.generation && claims.holder === (isPrivate(share) ? holder : 0);

export type GrantedDownload = { readonly grantDigest: string; readonly fileId: Key; readonly expiresAt: Time };

/** A grant opens its share, so only its digest is stored. */
export const toGrantedDownload = ({ text, expiresAt }: Grant, fileId: Key): GrantedDownload => ({
  grantDigest: createHash('sha256').update(text).digest('base64url'),
  fileId,
  expiresAt,
});

export const hasDownloaded = (db: Db, { grantDigest, fileId }: GrantedDownload): Promise<boolean> =>
  hasRow(selectWhere(db, 'share_download', { grant_digest: grantDigest, file_id: fileId }).select('file_id'));

/** Returns whether this is the first; of concurrent calls exactly one is. */
export const insertGrantedDownload = (tx: Tx, download: GrantedDownload): Promise<boolean> =>
  hasRow(
    tx
      .insertInto('share_download')
      .values({ grant_digest: download.grantDigest, file_id: download.fileId, expires_at: download.expiresAt })
      .onConflict(conflict => conflict.doNothing())
      .returning('file_id'),
  );

export const deleteExpiredDownloads = (tx: Tx, now: Time): Promise<unknown> =>
  tx.deleteFrom('share_download').where('expires_at', '<', now).execute();
