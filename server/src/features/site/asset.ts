// Pages and files, each of which never changes while the server runs: made at the first request, compressed once, and answered
// with 304 to whoever has them already.
import { gzipSync } from 'node:zlib';
import { toEtag } from '@recordproof/shared/node/web-digests.ts';
import { once } from '@recordproof/shared/once.ts';
import { pageHeaders } from '../../platform/http/page-headers.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import type { Page } from './layout.ts';

type Asset = {
  readonly body: Buffer;
  readonly zipped: Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

export const openAsset = (type: string, make: () => Promise<Page>): (() => Promise<Asset>) =>
  once(async () => toAsset(type, await make()));

function toAsset(type: string, { text, policy }: Page): Asset {
  const body = Buffer.from(text);
  const headers = {
    'content-type': type,
    'cache-control': 'no-cache',
    etag: toEtag(body),
    vary: 'accept-encoding, accept-language',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    ...pageHeaders,
  };
  return { body, zipped: gzipSync(body), headers };
}

export function toAssetAnswer(request: Pick<Request, 'headers'>, { headers, body, zipped }: Asset): PlainAnswer {
  const known = (request.headers['if-none-match'] ?? '').split(',').map(tag => tag.trim().replace(/^W\//, ''));
  if (known.includes(headers.etag ?? '')) return { status: 304, headers, body: null };
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0+)?\s*(?:,|$))/.test(String(request.headers['accept-encoding'] ?? '')))
    return { headers, body };
  return { headers: { ...headers, 'content-encoding': 'gzip' }, body: zipped };
}
