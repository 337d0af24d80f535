// The app in a browser, from this program alone: one page without an inline script, and files that are kept for ever under
// names that say what is in them. Made at the first visit and compressed once, in two ways.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getAppFile, getAppPage } from '@recordproof/shared/api/site.ts';
import { html } from '@recordproof/shared/look/html.ts';
import type { BuiltApp } from '@recordproof/shared/node/build-script.mjs';
import { once } from '@recordproof/shared/once.ts';
import { appWords } from '@recordproof/shared/words/app.ts';
import { chooseLanguage, type Language } from '@recordproof/shared/words/words.ts';
import { isolationHeaders } from '../../platform/http/page-headers.ts';
import { type PlainAnswer, plainRoute, type Request, type Route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { openAsset, toAssetAnswer } from './asset.ts';
import { onlyBelow } from './own-assets.ts';

type Compressed = { readonly plain: Buffer; readonly gzip: Buffer; readonly br: Buffer };

const headers = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
  // That of the worker, which loads what it has in common with the page.
  'content-security-policy': `default-src 'none'; script-src 'self', ${onlyBelow('/app/assets/', ['script-src'])}`,
  ...isolationHeaders,
  vary: 'accept-encoding',
};

async function compress(text: string): Promise<Compressed> {
  const plain = Buffer.from(text);
  // Somebody waits for it: 9 takes seven times as long for one per cent, 11 a hundred times for a twentieth.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  const [zipped, br] = await Promise.all([promisify(gzip)(plain), promisify(brotliCompress)(plain, { params })]);
  return { plain, gzip: zipped, br };
}

function toFileAnswer(
  { headers: sent }: Pick<Request, 'headers'>,
  { plain, gzip: zipped, br }: Compressed,
): PlainAnswer {
  const accepted = String(sent['accept-encoding'] ?? '');
  const takes = (name: string) => new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0+)?\\s*(?:,|$))`).test(accepted);
  if (takes('br')) return { headers: { ...headers, 'content-encoding': 'br' }, body: br };
  if (takes('gzip')) return { headers: { ...headers, 'content-encoding': 'gzip' }, body: zipped };
  return { headers, body: plain };
}

type Stored = Pick<Server['config'], 'objects'>;

/** Pictures are shown from blobs, parts of uploads go to the object store, and nothing else is let through. */
export const toAppPolicy = (config: Stored): string =>
  [
    "default-src 'none'; script-src 'self'; worker-src 'self'; img-src 'self' blob:",
    ["connect-src 'self'", ...listStoreOrigins(config)].join(' '),
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "require-trusted-types-for 'script'; trusted-types recordproof",
  ]
    .join('; ')
    .concat(
      `, ${onlyBelow('/app/assets/', ['script-src', 'worker-src'])}; ${onlyBelow('/assets/', ['img-src'])} blob:`,
    );

/** Where signed addresses lead that are not this server's. */
function listStoreOrigins({ objects }: Stored): string[] {
  if (objects.kind !== 's3') return [];
  const { publicEndpoint, endpoints } = objects;
  return [new URL(publicEndpoint ?? endpoints[0] ?? '').origin];
}

const toPageText = (language: Language, { entries }: BuiltApp): string => {
  const { file = '', early = [] } = entries.app ?? {};
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="verify-worker" content="/app/assets/${entries.worker?.file}">
<meta name="hash-worker" content="/app/assets/${entries['hash-worker']?.file}">
<meta name="pdf-worker" content="/app/assets/${entries['pdf-worker']?.file}">
<title>RecordProof</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
${early.map(
  name => html`<link rel="modulepreload" href="/app/assets/${name}">
`,
)}<script type="module" src="/app/assets/${file}"></script>
</head>
<body>
<div id="app"><noscript>${appWords[language].needsScript}</noscript></div>
</body>
</html>
`.html;
};

export function appRoutes({ config }: { readonly config: Stored }): Route[] {
  const built = once(async () => (await import('./pages.ts')).makeApp());
  const page = (language: Language) =>
    openAsset('text/html; charset=utf-8', async () => ({
      text: toPageText(language, await built()),
      policy: toAppPolicy(config),
    }));
  const pages = { en: page('en'), zh: page('zh') };
  const files = once(async () => {
    const texts = Object.entries((await built()).files);
    return new Map(texts.map(([name, text]) => [name, once(() => compress(text))] as const));
  });
  return [
    plainRoute(getAppPage, async request =>
      toAssetAnswer(request, await pages[chooseLanguage(request.headers['accept-language'])]()),
    ),
    plainRoute(getAppFile, async request => {
      const file = (await files()).get(request.params.name);
      if (!file)
        throw new ApiError('NOT_FOUND', 'there is no such file; the app has been renewed, load its page again');
      return toFileAnswer(request, await file());
    }),
  ];
}
