// Verification of presigned URLs of the embedded store. The signature is checked before anything in the request is
// trusted.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Request } from '../../platform/http/route.ts';
import { type SignedObjectGrant, verifySignedRequest } from '../../platform/objects/disk-presign.ts';
import type { Server } from '../../platform/server.ts';

type Signed = Pick<Request, 'method' | 'headers'> & { readonly query: Readonly<Record<string, string>> };

function readLength(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

/** Throws NOT_FOUND if the object store serves its own presigned URLs. */
export function verifyGrant(
  { objects, keys, clock }: Pick<Server, 'objects' | 'keys' | 'clock'>,
  request: Signed,
): SignedObjectGrant {
  if (objects.backend !== 'DISK') throw new ApiError('NOT_FOUND');
  const verdict = verifySignedRequest(keys.transfer, {
    method: request.method,
    query: new URLSearchParams(request.query),
    contentLength: readLength(request.headers['content-length']),
    nowEpochSeconds: Math.floor(clock.now() / 1000),
  });
  if (verdict.kind === 'GRANTED') return verdict.grant;
  switch (verdict.reason) {
    case 'EXPIRED':
      throw new ApiError('FORBIDDEN', 'this URL has expired; request a new one');
    case 'LENGTH':
      throw new ApiError('FORBIDDEN', 'the body does not have the announced length');
    default:
      throw new ApiError('FORBIDDEN', 'this address is not valid');
  }
}
