// Static pages and files, immutable while the server runs: built on first request, compressed once, answered with 304
// if cached by the client.
import { toEtag } from '@recordproof/shared/node/web-digests.ts';
import { once } from '@recordproof/shared/once.ts';
import { type ContentEncoding, chooseEncoding, compress } from '../../platform/http/content-encoding.ts';
import { pageHeaders } from '../../platform/http/page-headers.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import type { Page } from './layout.ts';

type Asset = {
  readonly body: Buffer;
  readonly compressed: Readonly<Record<ContentEncoding, Buffer>>;
  readonly headers: Readonly<Record<string, string>>;
};

export type AssetContent = Omit<Page, 'text'> & { readonly text: string | Buffer };

/** Compressed once, so it may take longer than for a response. */
const brotliQuality = 6;

export const openAsset = (type: string, make: () => Promise<AssetContent>): (() => Promise<Asset>) =>
  once(async () => toAsset(type, await make()));

async function toAsset(type: string, { text, policy }: AssetContent): Promise<Asset> {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  const headers = {
    'content-type': type,
    'cache-control': 'no-cache',
    etag: toEtag(body),
    vary: 'accept-encoding, accept-language',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    ...pageHeaders,
  };
  const [gzip, br] = await Promise.all([compress(body, 'gzip'), compress(body, 'br', brotliQuality)]);
  return { body, compressed: { gzip, br }, headers };
}

export function toAssetAnswer(request: Pick<Request, 'headers'>, { headers, body, compressed }: Asset): PlainAnswer {
  const etags = (request.headers['if-none-match'] ?? '').split(',').map(tag => tag.trim().replace(/^W\//, ''));
  if (etags.includes(headers.etag ?? '')) return { status: 304, headers, body: null };
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  if (encoding === null) return { headers, body };
  return { headers: { ...headers, 'content-encoding': encoding }, body: compressed[encoding] };
}
