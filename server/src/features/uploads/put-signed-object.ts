// The embedded store behind the addresses it has signed. Nothing in the request is believed before its signature is.
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { PlainAnswer } from '../../platform/http/route.ts';
import { verifySignedRequest } from '../../platform/objects/disk-presign.ts';
import type { UploadPorts } from './ports.ts';

function readLength(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

export async function putSignedObject(
  { objects, keys, clock }: UploadPorts,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<PlainAnswer> {
  if (objects.backend !== 'DISK') throw new ApiError('NOT_FOUND');
  const verdict = verifySignedRequest(keys.transfer, {
    method: request.method ?? '',
    query: new URL(request.url ?? '', 'http://localhost').searchParams,
    contentLength: readLength(request.headers['content-length']),
    nowEpochSeconds: Math.floor(clock.now() / 1000),
  });
  if (verdict.kind === 'REFUSED') {
    const why = {
      EXPIRED: 'this address has expired; ask for a new one',
      LENGTH: 'the body is not as long as was agreed',
    };
    throw new ApiError(
      'FORBIDDEN',
      verdict.reason in why ? why[verdict.reason as keyof typeof why] : 'this address is not valid',
    );
  }
  const { key, size = 0 } = verdict.grant;
  const stored = await objects.put(key, request, { size, signal });
  return { status: 200, headers: { etag: `"${stored.etag}"`, 'cache-control': 'no-store' }, body: null };
}
