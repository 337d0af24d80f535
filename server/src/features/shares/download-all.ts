// All files of a share as one ZIP, whose length is told before its first byte. Each file counts as a download when its turn
// comes, and needs the share to be open still: when it ends, so does the ZIP.

import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { File } from '@recordproof/shared/api/files.ts';
import { shareActions } from '@recordproof/shared/api/shares.ts';
import { toSavedName } from '@recordproof/shared/shown-name.ts';
import { openBegun } from '../../platform/begun-stream.ts';
import { nobodyOf } from '../../platform/call.ts';
import { isolationHeaders } from '../../platform/http/page-headers.ts';
import type { Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { planZip, type ZipMember } from '../../platform/zip-stream.ts';
import { contentSuiteForReading } from '../crypto-policy/index.ts';
import { type FileRow, openWhole } from '../files/index.ts';
import { withoutCode } from './audit-entry.ts';
import type { SharedDownload } from './download-shared.ts';
import type { Grant } from './grants.ts';
import { knownActor } from './policy.ts';
import { listFilesOf, type ShareRow } from './queries.ts';
import { enterShare, useShare, type Visitor } from './visit-share.ts';

/** The header of the first file and its first bytes: a ZIP of which nothing can be read is an error answer. */
const begun = { count: 2, highWaterMark: 64 * 1024 };

type Wanted = { readonly code: string; readonly http: Pick<Request, 'method'> };

export async function downloadAll(server: Server, visitor: Visitor, { code, http }: Wanted): Promise<SharedDownload> {
  const { share, grant } = await enterShare(server, visitor, code);
  const files = await listFilesOf(server.database.db, share);
  const [first] = files;
  if (first === undefined) throw new ApiError('FILE_NOT_EXIST');
  for (const file of files) contentSuiteForReading(server, file.encryption); // a ZIP that has begun can only break off
  const isWanted = http.method !== 'HEAD';
  const opened = isWanted && grant === null ? await openByDownload(server, visitor, share, first) : grant;
  const zip = planZip(
    toMembers(server, visitor, { share, files, grant: opened, counted: grant === null ? first : null }),
  );
  const headers = {
    'content-type': 'application/zip',
    'content-length': zip.size,
    'content-disposition': `attachment; filename="share-${share.code}.zip"`,
    'cache-control': 'private, no-store',
    ...isolationHeaders,
  };
  const body = isWanted ? await openBegun(zip.read(), begun) : null;
  return { answer: { headers, body }, newGrant: grant === null ? opened : null };
}

/** Nobody looked at the page first: the first file opens the share. */
const openByDownload = async (server: Server, visitor: Visitor, share: ShareRow, { id }: FileRow): Promise<Grant> =>
  (await useShare(server, visitor, { share, grant: null, action: shareActions.DOWNLOAD, fileId: id })).grant;

type Packing = {
  readonly share: ShareRow;
  readonly files: readonly FileRow[];
  readonly grant: Grant | null;
  /** The one that was written down when the share was opened. */
  readonly counted: FileRow | null;
};

function toMembers(server: Server, visitor: Visitor, { share, files, grant, counted }: Packing): ZipMember[] {
  const reader = withoutCode(visitor, knownActor(share, visitor.actor) ?? nobodyOf(share.tenant_id), share.code);
  const names = toNames(files.map(({ path, file_name: fileName }) => ({ path, fileName })));
  return files.map((file, at) => ({
    name: names[at] ?? '',
    size: file.file_size,
    modifiedAt: file.created_at,
    open: async () => {
      const use = { share, grant, action: shareActions.DOWNLOAD, fileId: file.id };
      if (file !== counted) await useShare(server, visitor, use);
      return openWhole(server, reader, { file, recipient: { type: 'SHARE', id: share.code } });
    },
  }));
}

type Named = Pick<File, 'path' | 'fileName'>;

/** No drive letter either. */
const toSafeFolder = (path: string): string => path.replaceAll(':', '_').split('/').map(toSavedName).join('/');

/** `a`, `a/b` and `a/b/c` of `a/b/c`. */
const withParents = (folder: string): string[] =>
  folder.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'));

/** In their folders, each once, whatever the case of its letters, and none that leads out of where it is unpacked. */
function toNames(wanted: readonly Named[]): string[] {
  const folders = wanted.flatMap(({ path }) => (path === null ? [] : withParents(toSafeFolder(path))));
  const taken = new Set(folders.map(folder => folder.toLowerCase()));
  return wanted.map(({ path, fileName }) => {
    const folder = path === null ? '' : `${toSafeFolder(path)}/`;
    const name = toSavedName(fileName);
    const [stem = '', ending = ''] = /^(.+?)(\.[^.]*)?$/.exec(name)?.slice(1) ?? [name];
    let free = folder + name;
    for (let copy = 2; taken.has(free.toLowerCase()); copy += 1) free = `${folder}${stem} (${copy})${ending}`;
    taken.add(free.toLowerCase());
    return free;
  });
}
