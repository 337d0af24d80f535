// Wire format of shares.

import type { OpenedShare, ShareInfo } from '@recordproof/shared/api/share-access.ts';
import type { ShareAccess } from '@recordproof/shared/api/share-logs.ts';
import { maxSharedFiles, type Share } from '@recordproof/shared/api/shares.ts';
import { lastPart } from '@recordproof/shared/file-path.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Time } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { toListedFile, toSharedFile } from '../copies/index.ts';
import type { FileRow } from '../files/index.ts';
import type { ListedAccess } from './access-log.ts';
import type { Grant } from './grants.ts';
import { statusOf } from './policy.ts';
import type { ShareRow } from './queries.ts';
import type { RecipientRow } from './recipients.ts';

/** The view of owners and administrators. */
export const toShareView = (
  share: ShareRow,
  files: readonly FileRow[],
  recipients: readonly RecipientRow[],
  now: Time,
): Share => ({
  shareCode: share.code,
  shareType: share.share_type as 0 | 1,
  status: statusOf(share, now),
  hasPassword: share.password_hash !== null,
  expireTime: toIso(share.expire_at),
  maxAccesses: share.max_accesses,
  accessCount: share.access_count,
  viewCount: share.view_count,
  downloadCount: share.download_count,
  saveCount: share.save_count,
  createdAt: toIso(share.created_at),
  files: files.slice(0, maxSharedFiles).map(toListedFile),
  more: files.length > maxSharedFiles,
  folder: toFolder(share, path => path),
  title: share.title,
  message: share.message,
  recipients: recipients.map(({ recipient, mailed_at }) => ({ recipient, mailedAt: toIsoOrNull(mailed_at) })),
});

/** The view of visitors with the code. */
export const toInfo = (share: ShareRow, files: readonly FileRow[], isOpen = true): ShareInfo => ({
  shareCode: share.code,
  shareType: share.share_type as 0 | 1,
  expireTime: toIso(share.expire_at),
  hasPassword: share.password_hash !== null,
  files: files.map(toListedFile),
  folder: isOpen ? toFolder(share, lastPart) : null,
  title: isOpen ? share.title : null,
  message: isOpen ? share.message : null,
});

const toFolder = ({ folder, folder_since }: ShareRow, toName: (path: string) => string): Share['folder'] =>
  folder === null ? null : { path: toName(folder), includesLater: folder_since !== null };

export const toOpened = (share: ShareRow, files: readonly FileRow[], grant: Grant): OpenedShare => ({
  ...toInfo(share, []),
  files: files.map(toSharedFile),
  grant: grant.text,
  grantExpiresAt: toIso(grant.expiresAt),
});

export const toAccessView = (row: ListedAccess): ShareAccess => ({
  id: toWireId(row.id),
  actionType: row.action_type as 1 | 2 | 3,
  actorName: row.username,
  ip: row.ip,
  userAgent: row.user_agent,
  fileHash: row.file_hash,
  fileName: row.file_name,
  accessTime: toIso(row.created_at),
});
