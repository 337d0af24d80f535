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

type Say = (typeof verifierPageWords)[Language];

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

function toModeText(mode: PageMode, say: Say): string {
  if (mode.kind === 'saved') return `<strong>${say.stays}</strong>\n${say.staysText}`;
  if (mode.kind === 'hosted')
    return mode.asksIssuer
      ? `<strong>${say.asks}</strong>\n${say.asksText}\n<a href="/verify">${say.askNobody}</a>`
      : `<strong>${say.stays}</strong>\n${say.staysText}\n<a href="/verify?ask=issuer">${say.askIssuer}</a>`;
  if (mode.through === 'browser')
    return `<strong>${say.stays}</strong>
${say.staysText}
<a href="/?through=service">${say.sendInstead}</a>${mode.isOnline ? say.sendInsteadOnline : say.sendInsteadOffline}
<a href="/verifier.html">${say.save}</a>${say.saveText}`;
  return `<strong>${say.sent}</strong>
${mode.isOnline ? say.sentOnline : say.sentOffline}
<a href="/">${say.checkHere}</a>`;
}

const toSlot = (id: string, title: string, hint: string, more: string): string => `<div class="slot" data-slot="${id}">
<label for="${id}">${title}</label>
<p id="${id}-hint">${hint}</p>
<input type="file" id="${id}" aria-describedby="${id}-hint" ${more}>
</div>`;

const isSent = (mode: PageMode): boolean => mode.kind === 'served' && mode.through === 'service';

const toSlots = (say: Say, mode: PageMode): string =>
  [
    toSlot('original', say.original, say.originalHint, 'required'),
    toSlot('proof', say.proof, say.proofHint, 'required accept=".zip,application/zip"'),
    toSlot(
      'trustedKey',
      `${say.trustedKey} <span class="optional">${say.recommended}</span>`,
      say.trustedKeyHint,
      'accept=".json,application/json"',
    ),
    toSlot(
      'evidence',
      `${say.evidence} <span class="optional">${say.optional}</span>`,
      isSent(mode) ? `${say.evidenceHint} ${say.evidenceStays}` : say.evidenceHint,
      'multiple',
    ),
  ].join('\n');

export function toPageHtml(mode: PageMode, sources: PageSources, language: Language): string {
  const say = verifierPageWords[language];
  return `<!doctype html>
<html lang="${language}" data-through="${throughOf(mode)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${say.title}</title>
<link rel="icon" href="data:image/svg+xml;base64,${Buffer.from(icon).toString('base64')}">
${toHead(mode, sources)}
</head>
<body data-drop="${say.drop}">
<a class="skip" href="#content">${frameWords[language].skip}</a>
<header class="banner"><span class="brand">${icon} ${say.title}</span></header>
<main id="content">
<div class="intake">
<h1>${say.heading}</h1>
<p class="lead">${say.lead}</p>
<p class="mode">${toModeText(mode, say)}</p>
<noscript><p class="problem">${say.needsScript}</p></noscript>
<form id="form">
<div class="slots">
${toSlots(say, mode)}
</div>
<p class="drop-hint">${say.dropHint}</p>
<div class="actions"><button id="verify" type="submit">${say.verify}</button>
<button id="cancel" type="button" class="plain" hidden>${say.cancel}</button></div>
</form>
<div id="working" hidden><label for="progress" id="stage">${say.stages.reading}</label><progress id="progress" max="100" value="0"></progress></div>
<p id="problem" class="problem" role="alert" hidden></p>
<p id="announce" class="unseen" role="status"></p>
</div>
<section id="result" aria-labelledby="verdict" hidden></section>
</main>
<footer class="foot">${say.foot(verifierVersion)}</footer>
${toTail(mode, sources)}</body>
</html>
`;
}
