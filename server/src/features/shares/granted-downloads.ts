// Files downloaded under each grant: the first response with bytes of a file is recorded, further parts belong to the
// same download. A row expires with its grant.
import { createHash } from 'node:crypto';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Grant } from './grants.ts';

export type GrantedDownload = { readonly grantDigest: string; readonly fileId: Key; readonly expiresAt: Time };

/** A grant opens its share, so only its digest is stored. */
export const toGrantedDownload = ({ text, expiresAt }: Grant, fileId: Key): GrantedDownload => ({
  grantDigest: createHash('sha256').update(text).digest('base64url'),
  fileId,
  expiresAt,
});

export async function hasDownloaded(db: Db, { grantDigest, fileId }: GrantedDownload): Promise<boolean> {
  const row = await db
    .selectFrom('share_download')
    .select('file_id')
    .where('grant_digest', '=', grantDigest)
    .where('file_id', '=', fileId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns whether this is the first; of concurrent calls exactly one is. */
export async function insertGrantedDownload(tx: Tx, download: GrantedDownload): Promise<boolean> {
  const row = await tx
    .insertInto('share_download')
    .values({ grant_digest: download.grantDigest, file_id: download.fileId, expires_at: download.expiresAt })
    .onConflict(conflict => conflict.doNothing())
    .returning('file_id')
    .executeTakeFirst();
  return row !== undefined;
}

export const deleteExpiredDownloads = (tx: Tx, now: Time): Promise<unknown> =>
  tx.deleteFrom('share_download').where('expires_at', '<', now).execute();
