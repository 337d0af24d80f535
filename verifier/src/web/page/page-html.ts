// The page as text: served by the service in one of two modes, or whole in one file that works from a disk. No value
// from outside is ever put into it.
import { icon } from '@recordproof/shared/look/icon.ts';
import { toPolicySource } from '@recordproof/shared/node/web-digests.ts';
import { verifierVersion } from '../../version.ts';
import type { PageSources } from './build-page.ts';

export type PageMode = { kind: 'saved' } | { kind: 'served'; through: 'browser' | 'service'; isOnline: boolean };

/** The saved file can connect to nothing, load nothing, and run no script but its own, byte for byte. */
export const savedPolicy = ({ script, styles }: PageSources): string =>
  `default-src 'none'; script-src ${toPolicySource(script)}; style-src ${toPolicySource(styles)}; img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'`;

function toHead(mode: PageMode, sources: PageSources): string {
  if (mode.kind === 'served')
    return `<link rel="stylesheet" href="/assets/page.css">
<script src="/assets/page.js" defer></script>`;
  return `<meta http-equiv="content-security-policy" content="${savedPolicy(sources)}">
<style>${sources.styles}</style>`;
}

/** Inline scripts are not deferred, so they stand at the end. */
const toTail = (mode: PageMode, { script, worker }: PageSources): string =>
  mode.kind === 'served'
    ? ''
    : `<script type="text/plain" id="worker-source">${worker}</script>
<script>${script}</script>
`;

function toModeText(mode: PageMode): string {
  if (mode.kind === 'saved')
    return `<strong>Your files stay on this computer.</strong>
They are checked by this page alone, and its security policy forbids it to connect to anything.`;
  if (mode.through === 'browser')
    return `<strong>Your files stay on this computer.</strong>
They are checked by this page alone, and its security policy forbids it to connect to anything.
<a href="/?through=service">Send them to this service instead</a>${mode.isOnline ? ', which can also ask the issuer and the chain.' : '.'}
<a href="/verifier.html">Save this page</a> to use it without any service.`;
  return `<strong>Your files are sent to this service.</strong>
It checks them and keeps nothing. ${mode.isOnline ? 'It also asks the issuer and the chain, so that a proof can be fully confirmed.' : 'It asks nobody else, so the best possible result is INDETERMINATE.'}
<a href="/">Check in this browser instead</a>`;
}

const toSlot = (id: string, title: string, hint: string, more: string): string => `<div class="slot" data-slot="${id}">
<label for="${id}">${title}</label>
<p id="${id}-hint">${hint}</p>
<input type="file" id="${id}" aria-describedby="${id}-hint" ${more}>
</div>`;

export function toPageHtml(mode: PageMode, sources: PageSources): string {
  return `<!doctype html>
<html lang="en" data-through="${mode.kind === 'saved' ? 'browser' : mode.through}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>RecordProof verifier</title>
<link rel="icon" href="data:image/svg+xml;base64,${Buffer.from(icon).toString('base64')}">
${toHead(mode, sources)}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="banner"><span class="brand">${icon} RecordProof verifier</span></header>
<main id="content">
<div class="intake">
<h1>Check a file against its proof</h1>
<p class="lead">Is this, byte for byte, the file that was recorded? Choose the file and its proof archive.</p>
<p class="mode">${toModeText(mode)}</p>
<noscript><p class="problem">This page needs JavaScript. The program recordproof-verify does the same on the command line.</p></noscript>
<form id="form">
<div class="slots">
${toSlot('original', 'Original file', 'The file itself, of any kind and size.', 'required')}
${toSlot('proof', 'Proof archive', 'The .zip that the issuer gave out for it.', 'required accept=".zip,application/zip"')}
${toSlot('trustedKey', 'Trusted key <span class="optional">recommended</span>', 'The issuer’s .json key, from a source that you trust.', 'accept=".json,application/json"')}
</div>
<p class="drop-hint">You can also drop all of them anywhere on this page at once.</p>
<div class="actions"><button id="verify" type="submit">Verify</button>
<button id="cancel" type="button" class="plain" hidden>Cancel</button></div>
</form>
<div id="working" hidden><label for="progress" id="stage">Reading the original file</label><progress id="progress" max="100" value="0"></progress></div>
<p id="problem" class="problem" role="alert" hidden></p>
<p id="announce" class="unseen" role="status"></p>
</div>
<section id="result" aria-labelledby="verdict" hidden></section>
</main>
<footer class="foot">RecordProof verifier ${verifierVersion}. Nothing on this page comes from anywhere else.</footer>
${toTail(mode, sources)}</body>
</html>
`;
}
