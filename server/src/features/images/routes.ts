// Routes of images.
import { Readable } from 'node:stream';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/images.ts';
import { isolationHeaders } from '../../platform/http/page-headers.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { isUnchanged } from '../downloads/index.ts';
import { listHeld } from '../stored-objects/index.ts';
import { findStoredImage, type ImageKind } from './queries.ts';
import { holderOfImage, readImagePart, uploadImage } from './upload-image.ts';

const forEver = 'private, max-age=31536000, immutable';

async function download(
  { database, objects }: Pick<Server, 'database' | 'objects'>,
  request: Request<typeof api.downloadImage>,
): Promise<PlainAnswer> {
  const image = await findStoredImage(database.db, request.actor.tenantId, request.params.path);
  const [held] = image ? await listHeld(database.db, holderOfImage(image)) : [];
  if (!image || !held) throw new ApiError('NOT_FOUND', 'there is no such picture');
  const headers = { etag: `"${image.sha256}"`, 'cache-control': forEver };
  if (isUnchanged(request.headers['if-none-match'], headers.etag)) return { status: 304, headers, body: null };
  const full = {
    ...headers,
    'content-type': image.content_type,
    'content-length': image.size,
    'content-disposition': 'inline',
    'content-security-policy': "sandbox; default-src 'none'",
    ...isolationHeaders,
  };
  if (request.method === 'HEAD') return { headers: full, body: null };
  const { body } = await objects.get(held.path, { sha256: image.sha256 });
  return { headers: full, body: Readable.from(body, { objectMode: false }) };
}

export const imageRoutes = (server: Pick<Server, 'database' | 'objects' | 'clock'>): Route[] => {
  const upload = async (request: Request, kind: ImageKind) =>
    uploadImage(server, request, { kind, bytes: await readImagePart(request, kind) });
  return [
    route(api.uploadAvatar, r => upload(r, 'AVATAR')),
    route(api.uploadImage, r => upload(r, 'IMAGE')),
    plainRoute(api.downloadImage, r => download(server, r)),
  ];
};
