// URL scheme `app:` of the desktop app. It serves the app's own folder, without file: URLs or a port, under a content
// security policy that allows no other origin.
import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';

export const appScheme = 'app';
export const appOrigin = `${appScheme}://recordproof`;

/** The page connects to nothing: its calls go through the program, and images are blobs of checked bytes. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  'media-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types recordproof',
].join('; ');

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

const reject = (status: number): Response => new Response(null, { status });

/** Undefined for paths outside of the folder, and for unknown types. */
function toAssetPath(root: string, address: string): string | undefined {
  const url = URL.parse(address);
  if (url?.protocol !== `${appScheme}:` || url.hostname !== 'recordproof') return undefined;
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    return undefined;
  }
  if (path.includes('\0') || path.includes('\\')) return undefined;
  const file = normalize(join(root, path === '/' ? 'index.html' : path));
  return file.startsWith(root + sep) && types[extname(file)] !== undefined ? file : undefined;
}

export async function answerAsset(root: string, { method, url }: { method: string; url: string }): Promise<Response> {
  const path = method === 'GET' ? toAssetPath(root, url) : undefined;
  if (path === undefined) return reject(404);
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) return reject(404);
  return new Response(new Uint8Array(bytes), {
    headers: {
      'content-type': types[extname(path)] ?? 'application/octet-stream',
      'content-security-policy': contentSecurityPolicy,
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
  });
}
