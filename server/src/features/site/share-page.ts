// The page behind the link of a share. Works without script: the files are plain links, the password an ordinary form.
// What it says of a share is what shares tell; file names are whatever their owners typed.

import { toFilePath } from '@recordproof/shared/api/files.ts';
import type { SharedFile } from '@recordproof/shared/api/shares.ts';
import { type Html, html } from '@recordproof/shared/look/html.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { shareWords } from '@recordproof/shared/words/share.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { type Page, toPage } from './layout.ts';

export type ShownFile = SharedFile & { readonly hasProof: boolean };

type FilesView = {
  readonly kind: 'files';
  /** Who shares them, as people call them. */
  readonly sender: string;
  readonly files: readonly ShownFile[];
  readonly expiresAt: string;
  /** Others are asked to vouch for the time of proofs. */
  readonly hasEvidence: boolean;
};

export type ShareView =
  | FilesView
  | { readonly kind: 'password'; readonly isWrong: boolean }
  | { readonly kind: 'private' }
  | { readonly kind: 'refused'; readonly title: string; readonly text: string };

type SharePageInfo = {
  readonly language: Language;
  readonly code: string;
  readonly baseUrl: string;
  readonly version: string;
  readonly script: string;
};

export function renderSharePage(view: ShareView, info: SharePageInfo): Page {
  const { language, version } = info;
  const frame = { language, title: `${titleOf(view, language)} – RecordProof`, version };
  const more = {
    files: { script: info.script },
    password: { bodyClass: 'narrow', sendsForm: true },
    private: {},
    refused: {},
  }[view.kind];
  return toPage({ ...frame, ...more }, renderBody(view, info));
}

function titleOf(view: ShareView, language: Language): string {
  const say = shareWords[language];
  switch (view.kind) {
    case 'files':
      return say.files;
    case 'password':
      return view.isWrong ? say.wrongTitle : say.password;
    case 'private':
      return say.privateShort;
    case 'refused':
      return view.title;
  }
}

function renderBody(view: ShareView, info: SharePageInfo): Html {
  switch (view.kind) {
    case 'files':
      return renderFiles(view, info);
    case 'password':
      return renderPassword(view.isWrong, info);
    case 'private':
      return renderPrivate(info);
    case 'refused':
      return html`<main id="content">
<h1>${view.title}</h1>
<p class="lead">${view.text}</p>
</main>`;
  }
}

function toSize(bytes: number, language: Language): string {
  const units = [shareWords[language].bytes, 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(value < 100 ? 1 : 0)} ${units[unit]}`;
}

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', zh: 'zh-CN' };

const toDate = (iso: string, language: Language): string =>
  `${new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(iso))} UTC`;

function renderFiles({ sender, files, expiresAt, hasEvidence }: FilesView, info: SharePageInfo): Html {
  const { language, code } = info;
  const say = shareWords[language];
  const size = toSize(
    files.reduce((sum, file) => sum + file.fileSize, 0),
    language,
  );
  return html`<main id="content">
<h1>${say.files}</h1>
<p class="lead"><span dir="auto">${say.from(toShownName(sender))}</span>${say.sentenceEnd}${files.length === 0 ? say.nothingLeft : say.count(files.length, size)}${say.sentenceEnd}${say.hereUntil} <time datetime="${expiresAt}">${toDate(expiresAt, language)}</time>${say.sentenceEnd.trim()}</p>
${files.length > 1 && html`<p><a class="button" href="/s/${code}/all.zip">${say.all(size)}</a></p>`}
<ul class="files card">
${files.map(file => renderFile(file, hasEvidence, info))}</ul>
<p id="status" class="said" role="status" aria-live="polite"></p>
${files.length > 0 && renderHelp(info)}
</main>`;
}

/** What stands behind the sign never leaves the browser; the app reads it there. */
const toAppLink = (code: string): string => `/app#/share/${encodeURIComponent(code)}`;

function renderHelp({ language, code, baseUrl }: SharePageInfo): Html {
  const say = shareWords[language];
  return html`<p><a href="${toAppLink(code)}">${say.keep}</a></p>
<h2>${say.checkTitle}</h2>
<p>${say.checkText} <a href="/verify">${say.checkLink}</a>${say.sentenceEnd}${say.checkEnd}</p>
<div id="check"></div>
<p>${say.terminal}</p>
<pre><code>recordproof shares get ${baseUrl}/s/${code}</code></pre>`;
}

function renderFile(file: ShownFile, hasEvidence: boolean, { code, language }: SharePageInfo): Html {
  const say = shareWords[language];
  const { fileSize, fileHash, contentHash, hasProof } = file;
  const name = toShownName(toFilePath(file));
  const size = toSize(fileSize, language);
  const address = `/s/${code}/files/${fileHash}`;
  const proof = hasProof
    ? html`<a href="${address}/proof" aria-label="${say.proofOf(name)}">${say.proof}</a>`
    : html`<span>${say.noProof}</span>`;
  const evidence =
    hasProof &&
    hasEvidence &&
    html` <a href="${address}/evidence" aria-label="${say.evidenceOf(name)}">${say.evidence}</a>`;
  return html`<li>
<div class="file"><strong dir="auto">${name}</strong><span>${size}</span> ${proof}${evidence}</div>
<a class="button plain" href="${address}" aria-label="${say.downloadOf(name, size)}" data-name="${toShownName(file.fileName)}" data-size="${fileSize}" data-hash="${contentHash}">${say.download}</a>
<details><summary>SHA-256</summary><code>${contentHash.slice('sha256:'.length)}</code></details>
</li>
`;
}

function renderPassword(isWrong: boolean, { code, language }: SharePageInfo): Html {
  const say = shareWords[language];
  return html`<main id="content">
<h1>${say.passwordTitle}</h1>
<p class="lead">${say.passwordLead}</p>
<form class="card" method="post" action="/s/${code}">
<p class="field">
<label for="password">${say.password}</label>
<input id="password" name="password" type="password" autocomplete="off" required maxlength="64" autofocus${isWrong && html` aria-invalid="true" aria-describedby="problem"`}>
</p>
${isWrong && html`<p id="problem" class="problem" role="alert">${say.wrong}</p>`}
<button type="submit">${say.show}</button>
</form>
</main>`;
}

function renderPrivate({ code, baseUrl, language }: SharePageInfo): Html {
  const say = shareWords[language];
  return html`<main id="content">
<h1>${say.privateTitle}</h1>
<p class="lead">${say.privateLead}</p>
<p><a class="button" href="${toAppLink(code)}">${say.signIn}</a></p>
<h2>${say.inApp}</h2>
<p><a class="button plain" href="recordproof://share/${encodeURIComponent(code)}">${say.openInApp}</a></p>
<p>${say.inAppText(baseUrl, code)}</p>
<h2>${say.inTerminal}</h2>
<pre><code>recordproof login --server ${baseUrl}
recordproof shares get ${baseUrl}/s/${code}</code></pre>
</main>`;
}
