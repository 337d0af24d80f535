// Layout of all pages: head, banner, footer, and content security policy; and the answer with a page for one visitor.
// Pages load nothing from elsewhere, run only their own scripts (by hash), and cannot be framed.

import { toPolicySource } from '@recordproof/shared/node/web-digests.ts';
import { type Html, html, raw } from '@recordproof/shared/theme/html.ts';
import { frameWords } from '@recordproof/shared/words/pages.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { pageHeaders } from '../../platform/http/page-headers.ts';
import type { PlainAnswer } from '../../platform/http/route.ts';

export type PageInfo = {
  readonly language: Language;
  readonly title: string;
  readonly version: string;
  readonly bodyClass?: string;
  readonly tools?: Html;
  /** Its inline script. */
  readonly script?: string;
  /** Whether it shows files, and checks proofs and draws PDF in workers. */
  readonly showsFiles?: boolean;
  /** Whether it holds a form that the browser itself sends. */
  readonly sendsForm?: boolean;
};

export type Page = { readonly text: string; readonly policy: string };

/** Of pages that are made for one visitor. */
export const visitHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  ...pageHeaders,
};

export const toVisitAnswer = ({ text, policy }: Page, status: number): PlainAnswer => ({
  status,
  headers: { ...visitHeaders, 'content-security-policy': policy },
  body: text,
});

export const toPage = (info: PageInfo, content: Html): Page => ({
  text: toText(info, content),
  policy: toPolicy(info),
});

/**
 * A second policy in addition to one with `'self'`, which alone permits everything that this origin serves, including
 * uploaded files. A source with a path has to name a host, and behind a proxy the server does not know its own: this
 * names a path on any host, and a browser loads only what both policies permit.
 */
export const onlyBelow = (path: string, directives: readonly string[]): string =>
  directives.map(name => `${name} *:*${path}`).join('; ');

/** Beside the assets: images that were checked (blobs), thumbnails and media of shares. */
const ownFiles = `${onlyBelow('/assets/', ['style-src', 'worker-src'])}; img-src *:*/assets/ *:*/s/ blob:; ${onlyBelow('/s/', ['media-src'])}`;
const ownAssets = onlyBelow('/assets/', ['style-src', 'img-src', 'worker-src']);

const toPolicy = ({ script, sendsForm, showsFiles }: PageInfo): string =>
  [
    `default-src 'none'; style-src 'self'; img-src 'self'${showsFiles ? ' blob:' : ''}; base-uri 'none'; frame-ancestors 'none'`,
    `form-action ${sendsForm ? "'self'" : "'none'"}`,
    ...(script === undefined ? [] : [`script-src ${toPolicySource(script)}; connect-src 'self'`]),
    ...(showsFiles ? ["worker-src 'self'; media-src 'self'"] : []),
  ]
    .join('; ')
    .concat(`, ${showsFiles ? ownFiles : ownAssets}`);

const toText = ({ language, title, version, script, tools, bodyClass }: PageInfo, content: Html): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/site.css">
</head>
<body${bodyClass !== undefined && html` class="${bodyClass}"`}>
<a class="skip" href="#content">${frameWords[language].skip}</a>
<header class="banner">
<a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="28" height="28"> RecordProof</a>
${tools}
</header>
${content}
<footer class="foot">${frameWords[language].foot(version)}</footer>
${
  script !== undefined &&
  html`<script>${raw(script)}</script>
`
}</body>
</html>
`.html;
