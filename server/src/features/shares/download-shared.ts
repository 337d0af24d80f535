// Download of a shared file, opened by the share's own envelope. A response with all bytes is a download in the access
// log; of partial responses, the first per grant and file. A response without bytes is none.
import type { ManifestMetadata } from '@recordproof/shared/api/manifests.ts';
import { grantHeader } from '@recordproof/shared/api/share-access.ts';
import { shareActions } from '@recordproof/shared/api/shares.ts';
import { anonymousParty } from '../../platform/call.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { contentSuiteForReading } from '../crypto-policy/index.ts';
import { deliveredBytes, downloadContent, toDownloadMetadata } from '../downloads/index.ts';
import { readThumbnail } from '../previews/index.ts';
import { withoutCode } from './audit-entry.ts';
import type { Grant } from './grants.ts';
import { knownActor } from './policy.ts';
import { sealLiving } from './shared-folder.ts';
import { enterShare, getSharedFile, useShare, type Visitor } from './visit-share.ts';

type FileInput = { readonly code: string; readonly fileHash: string };

type Download = FileInput & { readonly http: Pick<Request, 'headers' | 'method'> };

export type SharedDownload = { readonly answer: PlainAnswer; readonly newGrant: Grant | null };

export async function downloadShared(server: Server, visitor: Visitor, request: Download): Promise<SharedDownload> {
  const { code, fileHash, http } = request;
  const visit = await enterShare(server, visitor, code);
  const { share } = visit;
  const file = await getSharedFile(server.database.db, share, fileHash);
  const suite = contentSuiteForReading(server, file.encryption); // before recording: nothing is sent if it is disabled
  const delivered = deliveredBytes(http, file);
  if (delivered !== 'NONE') await sealLiving(server, share, [file]);
  const use = { ...visit, action: shareActions.DOWNLOAD, fileId: file.id, onlyFirst: delivered === 'PART' };
  const { grant, isRecorded } =
    delivered === 'NONE' ? { ...visit, isRecorded: false } : await useShare(server, visitor, use);
  const { tenant_id: tenantId } = share;
  const reader = withoutCode(visitor, knownActor(share, visitor.actor) ?? anonymousParty(tenantId), code);
  const recipient = { type: 'SHARE', id: share.code } as const;
  const answer = await downloadContent(server, reader, { http, file, recipient, suite, isCounted: isRecorded });
  return { answer, newGrant: visit.grant === null ? grant : null };
}

/** Null where there is none. */
export async function readSharedThumbnail(server: Server, visitor: Visitor, { code, fileHash }: FileInput) {
  const { share } = await enterShare(server, visitor, code);
  const file = await getSharedFile(server.database.db, share, fileHash);
  await sealLiving(server, share, [file]);
  return readThumbnail(server, file, { type: 'SHARE', id: share.code });
}

export async function getSharedMetadata(
  server: Server,
  visitor: Visitor,
  { code, fileHash }: FileInput,
): Promise<ManifestMetadata> {
  const { db } = server.database;
  const { share } = await enterShare(server, visitor, code);
  return toDownloadMetadata(server, await getSharedFile(db, share, fileHash));
}

export const withGrant = ({ answer, newGrant }: SharedDownload): PlainAnswer =>
  newGrant === null ? answer : { ...answer, headers: { ...answer.headers, [grantHeader]: newGrant.text } };
