// Static pages and files, immutable while the server runs: built on first request, compressed once, answered with 304
// if cached by the client.
import { toEtag } from '@recordproof/shared/node/web-digests.ts';
import { once } from '@recordproof/shared/once.ts';
import { type ContentEncoding, chooseEncoding, compress } from '../../platform/http/content-encoding.ts';
import { pageHeaders } from '../../platform/http/page-headers.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import type { Page } from './layout.ts';

export type Compressed = Readonly<Record<'plain' | ContentEncoding, Buffer>>;
type Headers = Readonly<Record<string, string>>;
type Asset = { readonly content: Compressed; readonly headers: Headers };

export type AssetContent = Omit<Page, 'text'> & { readonly text: string | Buffer };

/** A user is waiting: level 9 takes three times as long for 1% less, 11 forty times for 10%. */
const quickQuality = 6;

export async function toCompressed(text: string | Buffer): Promise<Compressed> {
  const plain = typeof text === 'string' ? Buffer.from(text) : text;
  const [gzip, br] = await Promise.all([compress(plain, 'gzip'), compress(plain, 'br', quickQuality)]);
  return { plain, gzip, br };
}

/** In the encoding that the client prefers. */
export function toCompressedAnswer(
  request: Pick<Request, 'headers'>,
  content: Compressed,
  headers: Headers,
): PlainAnswer {
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  if (encoding === null) return { headers, body: content.plain };
  return { headers: { ...headers, 'content-encoding': encoding }, body: content[encoding] };
}

export const openAsset = (type: string, make: () => Promise<AssetContent>): (() => Promise<Asset>) =>
  once(async () => toAsset(type, await make()));

async function toAsset(type: string, { text, policy }: AssetContent): Promise<Asset> {
  const content = await toCompressed(text);
  const headers = {
    'content-type': type,
    'cache-control': 'no-cache',
    etag: toEtag(content.plain),
    vary: 'accept-encoding, accept-language',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    ...pageHeaders,
  };
  return { content, headers };
}

export function toAssetAnswer(request: Pick<Request, 'headers'>, { headers, content }: Asset): PlainAnswer {
  const etags = (request.headers['if-none-match'] ?? '').split(',').map(tag => tag.trim().replace(/^W\//, ''));
  if (etags.includes(headers.etag ?? '')) return { status: 304, headers, body: null };
  return toCompressedAnswer(request, content, headers);
}
