// Download of all files of a share as one ZIP, with its length known in advance. Each file counts as a download when it
// is sent, and requires that the share is still active; otherwise the ZIP is aborted.

import { ApiError } from '@recordproof/shared/api/errors.ts';
import { shareActions } from '@recordproof/shared/api/shares.ts';
import { anonymousParty } from '../../platform/call.ts';
import { isolationHeaders } from '../../platform/http/page-headers.ts';
import type { Request } from '../../platform/http/route.ts';
import { openPrefetched } from '../../platform/prefetched-stream.ts';
import type { Server } from '../../platform/server.ts';
import { planZip, type ZipMember } from '../../platform/zip-stream.ts';
import { contentSuiteForReading } from '../crypto-policy/index.ts';
import { openWhole, toZipMembers } from '../downloads/index.ts';
import type { FileRow } from '../files/index.ts';
import { withoutCode } from './audit-entry.ts';
import type { SharedDownload } from './download-shared.ts';
import type { Grant } from './grants.ts';
import { knownActor } from './policy.ts';
import type { ShareRow } from './queries.ts';
import { listShown, sealLiving } from './shared-folder.ts';
import { enterShare, useShare, type Visitor } from './visit-share.ts';

/** Opens the first file before the response starts: a ZIP that cannot be read at all is an error response. */
const begun = { count: 2, highWaterMark: 64 * 1024 };

type ZipInput = { readonly code: string; readonly proofs: boolean; readonly http: Pick<Request, 'method'> };

export async function downloadAll(
  server: Server,
  visitor: Visitor,
  { code, proofs, http }: ZipInput,
): Promise<SharedDownload> {
  const { share, grant } = await enterShare(server, visitor, code);
  const files = await listShown(server.database.db, share);
  const [first] = files;
  if (first === undefined) throw new ApiError('FILE_NOT_EXIST');
  for (const file of files) contentSuiteForReading(server, file.encryption); // a started ZIP can only be aborted
  const hasBody = http.method !== 'HEAD';
  if (hasBody) await sealLiving(server, share, files);
  const opened = hasBody && grant === null ? await openByDownload(server, visitor, share, first) : grant;
  const zip = planZip(
    toMembers(server, visitor, { share, files, grant: opened, counted: grant === null ? first : null, proofs }),
  );
  const headers = {
    'content-type': 'application/zip',
    ...(zip.size !== null && { 'content-length': zip.size }),
    'content-disposition': `attachment; filename="share-${share.code}.zip"`,
    'cache-control': 'private, no-store',
    ...isolationHeaders,
  };
  const body = hasBody ? await openPrefetched(zip.read(), begun) : null;
  return { answer: { headers, body }, newGrant: grant === null ? opened : null };
}

/** Without an earlier visit to the page, the first file opens the share. */
const openByDownload = async (server: Server, visitor: Visitor, share: ShareRow, { id }: FileRow): Promise<Grant> =>
  (await useShare(server, visitor, { share, grant: null, action: shareActions.DOWNLOAD, fileId: id })).grant;

type Packing = {
  readonly share: ShareRow;
  readonly files: readonly FileRow[];
  readonly grant: Grant | null;
  /** The file already recorded when the share was opened. */
  readonly counted: FileRow | null;
  readonly proofs: boolean;
};

function toMembers(server: Server, visitor: Visitor, { share, files, grant, counted, proofs }: Packing): ZipMember[] {
  const reader = withoutCode(visitor, knownActor(share, visitor.actor) ?? anonymousParty(share.tenant_id), share.code);
  return toZipMembers(server, {
    files,
    toPath: file => file.path,
    open: async file => {
      const use = { share, grant, action: shareActions.DOWNLOAD, fileId: file.id };
      if (file !== counted) await useShare(server, visitor, use);
      return openWhole(server, reader, { file, recipient: { type: 'SHARE', id: share.code } });
    },
    proofs,
  });
}
