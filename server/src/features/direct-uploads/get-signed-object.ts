// The embedded store's handler for presigned reads. The bytes are sent as stored.
import { Readable } from 'node:stream';
import type { getSignedObject as contract } from '@recordproof/shared/api/direct-uploads.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { isolationHeaders } from '../../platform/http/page-headers.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { verifyGrant } from './signed-grant.ts';

export async function getSignedObject(
  server: Pick<Server, 'objects' | 'keys' | 'clock'>,
  request: Request<typeof contract>,
): Promise<PlainAnswer> {
  const { key } = verifyGrant(server, request);
  const { size, etag, body } = await server.objects.get(key, { signal: request.signal }).catch(error => {
    const isGone = error instanceof ObjectStoreError && error.kind === 'NOT_FOUND';
    throw isGone ? new ApiError('NOT_FOUND', 'this object no longer exists', { cause: error }) : error;
  });
  const headers = {
    etag: `"${etag}"`,
    'content-length': size,
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'content-security-policy': "sandbox; default-src 'none'",
    'cache-control': 'no-store',
    ...isolationHeaders,
  };
  return { headers, body: Readable.from(body, { objectMode: false }), ownsBlocks: true };
}
