// The HTML of the page: served by the service in one of two modes, or as a single file that works from disk. No
// external value is ever inserted.
import { deflateRawSync } from 'node:zlib';
import { toPolicySource } from '@recordproof/shared/node/web-digests.ts';
import { icon } from '@recordproof/shared/theme/icon.ts';
import { frameWords } from '@recordproof/shared/words/pages.ts';
import { verifierPageWords } from '@recordproof/shared/words/verifier-page.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { verifierVersion } from '../../version.ts';
import { toBase85 } from '../base85.ts';
import type { PageSources } from './build-page.ts';

type Texts = (typeof verifierPageWords)[Language];

/** `hosted`: also a single file, on the issuer's server, with or without queries to it. */
export type PageMode =
  | { kind: 'saved' }
  | { kind: 'hosted'; asksIssuer: boolean }
  | { kind: 'served'; through: 'browser' | 'service'; isOnline: boolean };

/** The saved file can connect to nothing, load nothing, and run only its own scripts (by hash). */
const savedPolicy = ({ script, styles }: PageSources, connect = "'none'"): string =>
  `default-src 'none'; connect-src ${connect}; script-src ${toPolicySource(script)}; style-src ${toPolicySource(styles)}; img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'`;

function toHead(mode: PageMode, sources: PageSources): string {
  if (mode.kind === 'served')
    return `<link rel="stylesheet" href="/assets/page.css">
<script src="/assets/page.js" defer></script>`;
  return `<meta http-equiv="content-security-policy" content="${policyOf(mode, sources)}">
<style>${sources.styles}</style>`;
}

export const policyOf = (mode: PageMode, sources: PageSources): string =>
  savedPolicy(sources, mode.kind === 'hosted' && mode.asksIssuer ? "'self'" : "'none'");

const throughOf = (mode: PageMode): string => {
  if (mode.kind === 'hosted' && mode.asksIssuer) return 'origin';
  return mode.kind === 'served' ? mode.through : 'browser';
};

/** Compressed, because the worker is more than half of the page. */
const pack = (text: string): string => toBase85(deflateRawSync(text, { level: 9 }));

/** Inline scripts cannot be deferred, so they come last. */
const toTail = (mode: PageMode, { script, worker }: PageSources): string =>
  mode.kind === 'served'
    ? ''
    : `<script type="text/plain" id="worker-source">${pack(worker)}</script>
<script>${script}</script>
`;

function toModeText(mode: PageMode, texts: Texts): string {
  if (mode.kind === 'saved') return `<strong>${texts.stays}</strong>\n${texts.staysText}`;
  if (mode.kind === 'hosted')
    return mode.asksIssuer
      ? `<strong>${texts.asks}</strong>\n${texts.asksText}\n<a href="/verify">${texts.checkOffline}</a>`
      : `<strong>${texts.stays}</strong>\n${texts.staysText}\n<a href="/verify?ask=issuer">${texts.askIssuer}</a>`;
  if (mode.through === 'browser')
    return `<strong>${texts.stays}</strong>
${texts.staysText}
<a href="/?through=service">${texts.sendInstead}</a>${mode.isOnline ? texts.sendInsteadOnline : texts.sendInsteadOffline}
<a href="/verifier.html">${texts.save}</a>${texts.saveText}`;
  return `<strong>${texts.sent}</strong>
${mode.isOnline ? texts.sentOnline : texts.sentOffline}
<a href="/">${texts.checkHere}</a>`;
}

const toSlot = (id: string, title: string, hint: string, more: string): string => `<div class="slot" data-slot="${id}">
<label for="${id}">${title}</label>
<p id="${id}-hint">${hint}</p>
<input type="file" id="${id}" aria-describedby="${id}-hint" ${more}>
</div>`;

const isSent = (mode: PageMode): boolean => mode.kind === 'served' && mode.through === 'service';

const toSlots = (texts: Texts, mode: PageMode): string =>
  [
    toSlot('original', texts.original, texts.originalHint, 'required'),
    toSlot('proof', texts.proof, texts.proofHint, 'required accept=".zip,application/zip"'),
    toSlot(
      'trustedKey',
      `${texts.trustedKey} <span class="optional">${texts.recommended}</span>`,
      texts.trustedKeyHint,
      'accept=".json,application/json"',
    ),
    toSlot(
      'evidence',
      `${texts.evidence} <span class="optional">${texts.optional}</span>`,
      isSent(mode) ? `${texts.evidenceHint} ${texts.evidenceStays}` : texts.evidenceHint,
      'multiple',
    ),
  ].join('\n');

export function toPageHtml(mode: PageMode, sources: PageSources, language: Language): string {
  const texts = verifierPageWords[language];
  return `<!doctype html>
<html lang="${language}" data-through="${throughOf(mode)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${texts.title}</title>
<link rel="icon" href="data:image/svg+xml;base64,${Buffer.from(icon).toString('base64')}">
${toHead(mode, sources)}
</head>
<body data-drop="${texts.drop}">
<a class="skip" href="#content">${frameWords[language].skip}</a>
<header class="banner"><span class="brand">${icon} ${texts.title}</span></header>
<main id="content">
<div class="intake">
<h1>${texts.heading}</h1>
<p class="lead">${texts.lead}</p>
<p class="mode">${toModeText(mode, texts)}</p>
<noscript><p class="problem">${texts.needsScript}</p></noscript>
<form id="form">
<div class="slots">
${toSlots(texts, mode)}
</div>
<p class="drop-hint">${texts.dropHint}</p>
<div class="actions"><button id="verify" type="submit">${texts.verify}</button>
<button id="cancel" type="button" class="plain" hidden>${texts.cancel}</button></div>
</form>
<div id="working" hidden><label for="progress" id="stage">${texts.stages.reading}</label><progress id="progress" max="100" value="0"></progress></div>
<p id="problem" class="problem" role="alert" hidden></p>
<p id="announce" class="unseen" role="status"></p>
</div>
<section id="result" aria-labelledby="verdict" hidden></section>
</main>
<footer class="foot">${texts.foot(verifierVersion)}</footer>
${toTail(mode, sources)}</body>
</html>
`;
}
