// Routes of the app in a browser, served from this program alone: one page without inline scripts, and immutable files
// with content-based names. Built on the first visit and compressed once, in two formats.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { streamPrefix } from '@recordproof/shared/api/previews.ts';
import { getAppFile, getAppPage } from '@recordproof/shared/api/site.ts';
import type { BuiltApp } from '@recordproof/shared/node/build-script.mjs';
import { once } from '@recordproof/shared/once.ts';
import { html } from '@recordproof/shared/theme/html.ts';
import { colours } from '@recordproof/shared/theme/tokens.ts';
import { appWords } from '@recordproof/shared/words/app.ts';
import { chooseLanguage, type Language } from '@recordproof/shared/words/words.ts';
import { compress } from '../../platform/http/content-encoding.ts';
import { isolationHeaders } from '../../platform/http/page-headers.ts';
import { type PlainAnswer, plainRoute, type Request, type Route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { type Compressed, openAsset, toAssetAnswer, toCompressed, toCompressedAnswer } from './asset.ts';
import { onlyBelow } from './layout.ts';

const headers = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
  // The policy of the worker, which loads chunks shared with the page.
  'content-security-policy': `default-src 'none'; script-src 'self', ${onlyBelow('/app/assets/', ['script-src'])}`,
  ...isolationHeaders,
  vary: 'accept-encoding',
};

const bestQuality = 11;

type Open = () => Promise<Compressed>;

/**
 * The largest file of a first visit: compressed quickly at first, and replaced by the best compression in the
 * background.
 */
function openFirst(text: string): Open {
  let best: Compressed | undefined;
  const quick = once(async () => {
    const made = await toCompressed(text);
    compress(made.plain, 'br', bestQuality).then(
      br => {
        best = { ...made, br };
      },
      () => undefined, // the quick one stays
    );
    return made;
  });
  return async () => best ?? quick();
}

type Stored = Pick<Server['config'], 'objects'>;

/** Pictures are shown from blobs, media played from blobs or at addresses of their own, parts of uploads go to the object store, and nothing else is let through. */
export const toAppPolicy = (config: Stored): string =>
  [
    "default-src 'none'; script-src 'self'; worker-src 'self'; manifest-src 'self'; img-src 'self' blob:; media-src 'self' blob:",
    ["connect-src 'self'", ...listStoreOrigins(config)].join(' '),
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "require-trusted-types-for 'script'; trusted-types recordproof",
  ]
    .join('; ')
    .concat(
      `, ${onlyBelow('/app/assets/', ['script-src', 'worker-src'])}; ${onlyBelow('/assets/', ['img-src'])} blob:`,
      `; ${onlyBelow(streamPrefix, ['media-src'])} blob:; ${onlyBelow('/app/assets/', ['manifest-src'])}`,
    );

/** Origins of presigned URLs other than this server. */
function listStoreOrigins({ objects }: Stored): string[] {
  if (objects.kind !== 's3') return [];
  const { publicEndpoint, endpoints } = objects;
  return [new URL(publicEndpoint ?? endpoints[0] ?? '').origin];
}

/** The large script is named first, so that it gets the connection that is open already. */
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
<meta name="thumbnail-worker" content="/app/assets/${entries['thumbnail-worker']?.file}">
<meta name="service-worker" content="/app/assets/${workerName}">
<meta name="theme-color" content="${surface[0]}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${surface[1]}" media="(prefers-color-scheme: dark)">
<title>RecordProof</title>
<link rel="manifest" href="/app/assets/${manifestName}">
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/assets/icon-square-180.png">
<link rel="modulepreload" href="/app/assets/${file}">
${early.map(
  name => html`<script type="module" src="/app/assets/${name}"></script>
`,
)}<script type="module" src="/app/assets/${file}"></script>
</head>
<body>
<div id="app"><noscript>${appWords[language].needsScript}</noscript></div>
</body>
</html>
`.html;
};

const workerName = 'service-worker.js';
const manifestName = 'app.webmanifest';
const { surface, ground } = colours;

const manifest = JSON.stringify({
  id: '/app',
  name: 'RecordProof',
  short_name: 'RecordProof',
  start_url: '/app',
  scope: '/app',
  display: 'standalone',
  background_color: ground[0],
  theme_color: surface[0],
  icons: [
    { src: '/assets/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    { src: '/assets/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: '/assets/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: '/assets/icon-square-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
  share_target: {
    action: '/app/share',
    method: 'POST',
    enctype: 'multipart/form-data',
    params: { files: [{ name: 'files', accept: ['*/*'] }] },
  },
});

/** What installs the app. Asked for again at each visit, so that a new release replaces them. */
const installFiles = {
  [workerName]: openAsset('text/javascript; charset=utf-8', async () => ({
    text: await (await import('./pages.ts')).makeAppWorker(),
    policy: "default-src 'none'; connect-src 'self'",
  })),
  [manifestName]: openAsset('application/manifest+json', async () => ({
    text: manifest,
    policy: "default-src 'none'",
  })),
};

const isInstallFile = (name: string): name is keyof typeof installFiles => Object.hasOwn(installFiles, name);

/** The worker is responsible for the page, which is above its own path. */
async function toInstallAnswer(
  request: Pick<Request, 'headers'>,
  name: keyof typeof installFiles,
): Promise<PlainAnswer> {
  const answer = toAssetAnswer(request, await installFiles[name]());
  return name === workerName ? { ...answer, headers: { ...answer.headers, 'service-worker-allowed': '/app' } } : answer;
}

export function appRoutes({ config }: { readonly config: Stored }): Route[] {
  const built = once(async () => (await import('./pages.ts')).makeApp());
  const page = (language: Language) =>
    openAsset('text/html; charset=utf-8', async () => ({
      text: toPageText(language, await built()),
      policy: toAppPolicy(config),
    }));
  const pages = { en: page('en'), zh: page('zh') };
  const files = once(async () => {
    const { files: texts, entries } = await built();
    const open = (name: string, text: string): Open =>
      name === entries.app?.file ? openFirst(text) : once(() => toCompressed(text));
    return new Map(Object.entries(texts).map(([name, text]) => [name, open(name, text)] as const));
  });
  return [
    plainRoute(getAppPage, async request =>
      toAssetAnswer(request, await pages[chooseLanguage(request.headers['accept-language'])]()),
    ),
    plainRoute(getAppFile, async request => {
      const { name } = request.params;
      if (isInstallFile(name)) return toInstallAnswer(request, name);
      const file = (await files()).get(name);
      if (!file) throw new ApiError('NOT_FOUND', 'there is no such file; the app was updated, reload the page');
      return toCompressedAnswer(request, await file(), headers);
    }),
  ];
}
