// Compression of complete JSON and text responses to GET. Streams, small bodies and event streams are not compressed.
// An attacker who can add text to a response could guess the rest from its compressed length; secrets (tokens, codes)
// are therefore in responses to POST only, and no other site's page can call with a user's token.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';

export type ContentEncoding = 'br' | 'gzip';

/** The better encoding that the client accepts. */
export function chooseEncoding(accepted: string | string[] | undefined): ContentEncoding | null {
  const names = String(accepted ?? '')
    .toLowerCase()
    .split(',')
    .map(part => part.split(';').map(each => each.trim()))
    .filter(([, weight = '']) => !/^q=0(?:\.0*)?$/.test(weight))
    .map(([name]) => name);
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : null;
}

/** Higher levels take much longer and save few bytes. */
const brotliQuality = 4;

export async function compress(body: Buffer, encoding: ContentEncoding, quality = brotliQuality): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(body);
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  return promisify(brotliCompress)(body, { params });
}

/** Bodies that fit into one packet gain nothing. */
const leastBytes = 1400;

const compressible = /^(?:text\/|application\/(?:[\w.+-]*\+)?json\b|image\/svg\+xml)/;

/** Sends a complete body, compressed if allowed. Headers must be set before. */
export function sendCompressed(reply: FastifyReply, body: string | Uint8Array): FastifyReply | Promise<FastifyReply> {
  const isRight =
    reply.request.method === 'GET' &&
    reply.statusCode === 200 &&
    compressible.test(String(reply.getHeader('content-type') ?? '')) &&
    !reply.hasHeader('content-encoding') &&
    !reply.hasHeader('content-length') &&
    !reply.hasHeader('set-cookie') &&
    !/no-transform/.test(String(reply.getHeader('cache-control') ?? ''));
  if (!isRight) return reply.send(body);
  addVary(reply);
  const encoding = chooseEncoding(reply.request.headers['accept-encoding']);
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length);
  if (encoding === null || bytes.length < leastBytes) return reply.send(body);
  return compress(bytes, encoding).then(compressed => {
    const etag = reply.getHeader('etag');
    // A strong tag identifies the uncompressed bytes.
    if (typeof etag === 'string' && !etag.startsWith('W/')) reply.header('etag', `W/${etag}`);
    return reply.header('content-encoding', encoding).send(compressed);
  });
}

function addVary(reply: FastifyReply): void {
  const vary = String(reply.getHeader('vary') ?? '');
  if (!/accept-encoding/i.test(vary))
    reply.header('vary', vary === '' ? 'accept-encoding' : `${vary}, accept-encoding`);
}
