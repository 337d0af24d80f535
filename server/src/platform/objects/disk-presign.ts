// Signed URLs of the disk store: pure functions of a secret. A URL is bound to method, key, exact length and expiry.
// Everything in it is attacker-controlled until the signature has been verified.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { parseObjectKey } from './object-store.ts';

type SignedObjectMethod = 'PUT' | 'GET';

export type SignedObjectGrant = {
  readonly method: SignedObjectMethod;
  readonly key: string;
  /** Exact length of a PUT; absent for GET. */
  readonly size?: number;
  readonly expiresAtEpochSeconds: number;
};

type SignedUrlVerdict =
  | { readonly kind: 'GRANTED'; readonly grant: SignedObjectGrant }
  | { readonly kind: 'REFUSED'; readonly reason: 'MALFORMED' | 'SIGNATURE' | 'EXPIRED' | 'METHOD' | 'LENGTH' };

const label = 'recordproof-object-url-v1';
const parameters = ['method', 'key', 'size', 'expires', 'signature'] as const;
const wholeNumber = /^(?:0|[1-9]\d{0,15})$/;
// The last of the 43 characters has four significant bits: only these characters are canonical, so each signature has
// one encoding.
const signatureForm = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** Each field is prefixed with its length, so that no two grants have the same bytes. */
function sign(secret: KeyObject, grant: SignedObjectGrant): Buffer {
  const mac = createHmac('sha256', secret);
  const fields = [label, grant.method, grant.key, grant.size?.toString() ?? '', grant.expiresAtEpochSeconds.toString()];
  for (const field of fields) {
    const bytes = Buffer.from(field, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    mac.update(length).update(bytes);
  }
  return mac.digest();
}

/** `baseUrl`: the address of the route for signed URLs, without a query. */
export function toSignedUrl(secret: KeyObject, baseUrl: string, grant: SignedObjectGrant): string {
  const query = new URLSearchParams({
    method: grant.method,
    key: parseObjectKey(grant.key),
    size: grant.size?.toString() ?? '',
    expires: grant.expiresAtEpochSeconds.toString(),
    signature: sign(secret, grant).toString('base64url'),
  });
  return `${baseUrl}?${query}`;
}

function parseQuery(query: URLSearchParams): { readonly grant: SignedObjectGrant; readonly signature: Buffer } | null {
  if (query.size !== parameters.length || parameters.some(name => query.getAll(name).length !== 1)) return null;
  const [method, key, size, expires, signature] = parameters.map(name => query.get(name) ?? '') as [
    string,
    string,
    string,
    string,
    string,
  ];
  if (method !== 'PUT' && method !== 'GET') return null;
  if ((method === 'PUT') !== wholeNumber.test(size) || (method === 'GET' && size !== '')) return null;
  if (!wholeNumber.test(expires) || !signatureForm.test(signature)) return null;
  const grant = {
    method,
    key,
    expiresAtEpochSeconds: Number(expires),
    ...(method === 'PUT' ? { size: Number(size) } : {}),
  } as const;
  return { grant, signature: Buffer.from(signature, 'base64url') };
}

type SignedRequest = {
  readonly method: string;
  readonly query: URLSearchParams;
  /** The Content-Length of a PUT, if the client sent one. */
  readonly contentLength: number | undefined;
  readonly nowEpochSeconds: number;
};

/** Verifies the signature first and in constant time; without a valid one nothing else about the URL is revealed. */
export function verifySignedRequest(secret: KeyObject, request: SignedRequest): SignedUrlVerdict {
  const reject = (reason: Extract<SignedUrlVerdict, { kind: 'REFUSED' }>['reason']) =>
    ({ kind: 'REFUSED', reason }) as const;
  const parsed = parseQuery(request.query);
  if (parsed === null) return reject('MALFORMED');
  const { grant, signature } = parsed;
  const expected = sign(secret, grant);
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return reject('SIGNATURE');
  if (request.method !== grant.method) return reject('METHOD');
  if (request.nowEpochSeconds >= grant.expiresAtEpochSeconds) return reject('EXPIRED');
  if (grant.method === 'PUT' && request.contentLength !== grant.size) return reject('LENGTH');
  return { kind: 'GRANTED', grant };
}
