// Pages and files, each of which never changes while the server runs: made at the first request, compressed once, and answered
// with 304 to whoever has them already.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';

export type Asset = { readonly type: string; readonly body: Buffer; readonly zipped: Buffer; readonly etag: string };

/** Pages load nothing from elsewhere, run no inline script, stand in no frame. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function openAsset(type: string, make: () => Promise<string>): () => Promise<Asset> {
  let asset: Promise<Asset> | undefined;
  return () => {
    asset ??= make().then(text => toAsset(type, Buffer.from(text)));
    return asset;
  };
}

function toAsset(type: string, body: Buffer): Asset {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return { type, body, zipped: gzipSync(body), etag };
}

export function toAssetAnswer({ headers }: Pick<Request, 'headers'>, asset: Asset): PlainAnswer {
  const common = {
    'content-type': asset.type,
    'cache-control': 'no-cache',
    etag: asset.etag,
    vary: 'accept-encoding',
    'content-security-policy': pagePolicy,
    'referrer-policy': 'no-referrer',
  };
  const known = (headers['if-none-match'] ?? '').split(',').map(tag => tag.trim().replace(/^W\//, ''));
  if (known.includes(asset.etag)) return { status: 304, headers: common, body: null };
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0+)?\s*(?:,|$))/.test(String(headers['accept-encoding'] ?? '')))
    return { headers: common, body: asset.body };
  return { headers: { ...common, 'content-encoding': 'gzip' }, body: asset.zipped };
}
