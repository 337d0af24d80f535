// What both pages share: head, banner, foot.
import { type Html, html } from './html.ts';

export type PageInfo = {
  readonly title: string;
  readonly version: string;
  readonly script?: string;
  readonly tools?: Html;
  readonly bodyClass: string;
};

export function toPage({ title, version, script, tools, bodyClass }: PageInfo, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/site.css">
${script !== undefined && html`<script src="${script}" defer></script>`}
</head>
<body class="${bodyClass}">
<a class="skip" href="#content">Skip to content</a>
<header class="banner">
<a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="28" height="28"> RecordProof</a>
${tools}
</header>
${content}
<footer class="foot">RecordProof ${version}. Everything on this page comes from this server.</footer>
</body>
</html>
`.html;
}
