// The bytes of a shared file, opened by the share's own envelope. What begins at the first byte is a download of the log;
// what goes on from the middle belongs to one that was written down already, and an answer without bytes to none.
import type { ManifestMetadata } from '@recordproof/shared/api/files.ts';
import { grantHeader, shareActions } from '@recordproof/shared/api/shares.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import type { Origin } from '../audit/index.ts';
import { deliversBytes, downloadContent } from '../files/index.ts';
import { toDownloadMetadata } from '../manifests/index.ts';
import { withoutCode } from './audit-entry.ts';
import type { Grant } from './grants.ts';
import { knownActor } from './policy.ts';
import type { SharePorts, Visitor } from './ports.ts';
import { enterShare, getSharedFile, useShare } from './visit-share.ts';

export type SharedFileRequest = { readonly code: string; readonly fileHash: string; readonly visitor: Visitor };

type Wanted = SharedFileRequest & { readonly http: Pick<Request, 'headers' | 'method'>; readonly origin: Origin };

export type SharedDownload = { readonly answer: PlainAnswer; readonly newGrant: Grant | null };

const goesOn = (range: string | undefined): boolean => /^bytes=[ \t]*0*[1-9]/i.test(range ?? '');

export async function downloadShared(ports: SharePorts, wanted: Wanted): Promise<SharedDownload> {
  const { code, fileHash, visitor, http, origin } = wanted;
  const visit = await enterShare(ports, code, visitor);
  const { share } = visit;
  const file = await getSharedFile(ports.db, share, fileHash);
  const isBegun = visit.grant !== null && goesOn(http.headers.range);
  const isCounted = deliversBytes(http, file) && !isBegun;
  const use = { action: shareActions.DOWNLOAD, fileId: file.id };
  const grant = isCounted ? (await useShare(ports, visit, visitor, use)).grant : visit.grant;
  const reader = { who: knownActor(share, visitor.actor), origin: withoutCode(origin, code) };
  const answer = await downloadContent(ports, http, file, { type: 'SHARE', id: share.code }, reader);
  return { answer, newGrant: visit.grant === null ? grant : null };
}

export async function getSharedMetadata(
  ports: SharePorts,
  { code, fileHash, visitor }: SharedFileRequest,
): Promise<ManifestMetadata> {
  const { share } = await enterShare(ports, code, visitor);
  return toDownloadMetadata(ports.db, await getSharedFile(ports.db, share, fileHash));
}

export const withGrant = ({ answer, newGrant }: SharedDownload): PlainAnswer =>
  newGrant === null ? answer : { ...answer, headers: { ...answer.headers, [grantHeader]: newGrant.text } };
