// The page of a share. Works without script: files are plain links, the password an ordinary form. It shows only what
// shares make public; file names are untrusted text of their owners.

import { toFilePath } from '@recordproof/shared/api/files.ts';
import type { IssuerKey } from '@recordproof/shared/api/proofs.ts';
import type { SharedFile } from '@recordproof/shared/api/share-access.ts';
import { mostFolderFiles } from '@recordproof/shared/api/shares.ts';
import { iconOf, iconPaths } from '@recordproof/shared/preview-kinds.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { type Html, html } from '@recordproof/shared/theme/html.ts';
import { shareWords } from '@recordproof/shared/words/share.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { type Page, type PageInfo, toPage } from './layout.ts';
import { toSize } from './sizes.ts';

export type ShownFile = SharedFile & { readonly hasProof: boolean; readonly hasThumbnail: boolean };

/** A wrong password, and the remaining attempts. */
type Wrong = { readonly triesLeft: number | null };

type FilesView = {
  readonly kind: 'files';
  /** The display name of the sender. */
  readonly sender: string;
  readonly files: readonly ShownFile[];
  readonly expiresAt: string;
  /** Whether proofs have cosignatures of witnesses. */
  readonly hasEvidence: boolean;
  /** The name of a shared folder. */
  readonly folder: SharedFolder;
  readonly title: string | null;
  readonly message: string | null;
  /** That signed the proofs of the files. */
  readonly keys: readonly IssuerKey[];
};

type SharedFolder = { readonly name: string; readonly includesLater: boolean } | null;

export type ShareView =
  | FilesView
  | { readonly kind: 'password'; readonly wrong: Wrong | null }
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
  const { title, content, ...more } = toParts(view, info);
  return toPage({ language, title: `${title} – RecordProof`, version, ...more }, content);
}

type Parts = Omit<PageInfo, 'language' | 'version'> & { readonly content: Html };

function toParts(view: ShareView, info: SharePageInfo): Parts {
  const texts = shareWords[info.language];
  switch (view.kind) {
    case 'files':
      return { title: texts.files, script: info.script, showsFiles: true, content: renderFiles(view, info) };
    case 'password': {
      const title = view.wrong ? texts.wrongTitle : texts.password;
      return { title, bodyClass: 'narrow', sendsForm: true, content: renderPassword(view.wrong, info) };
    }
    case 'private':
      return { title: texts.privateShort, content: renderPrivate(info) };
    case 'refused':
      return {
        title: view.title,
        content: html`<main id="content">
<h1>${view.title}</h1>
<p class="lead">${view.text}</p>
</main>`,
      };
  }
}

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', zh: 'zh-CN' };

export const toDate = (iso: string, language: Language): string =>
  `${new Intl.DateTimeFormat(locales[language], { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(iso))} UTC`;

function renderHeading({ title, folder }: FilesView, language: Language): Html {
  const texts = shareWords[language];
  if (title !== null) return html`<span dir="auto">${title}</span>`;
  return folder === null
    ? html`${texts.files}`
    : html`<span dir="auto">${texts.folder(toShownName(folder.name))}</span>`;
}

function renderFiles(view: FilesView, info: SharePageInfo): Html {
  const { sender, files, expiresAt, hasEvidence, folder, keys, message } = view;
  const { language, code } = info;
  const texts = shareWords[language];
  const size = toSize(files.reduce((sum, file) => sum + file.fileSize, 0));
  return html`<main id="content">
<h1>${renderHeading(view, language)}</h1>
<p class="lead"><span dir="auto">${texts.from(toShownName(sender))}</span>${texts.sentenceEnd}${files.length === 0 ? texts.nothingLeft : texts.count(files.length, size)}${texts.sentenceEnd}${texts.hereUntil} <time datetime="${expiresAt}">${toDate(expiresAt, language)}</time>${texts.sentenceEnd.trim()}</p>
${message !== null && html`<p class="message" dir="auto">${message}</p>`}
${folder !== null && html`<p>${folder.includesLater ? texts.includesLater : texts.fixedSet}${files.length >= mostFolderFiles && html` ${texts.firstFiles(mostFolderFiles)}`}</p>`}
${files.length > 1 && html`<p><a class="button" href="/s/${code}/all.zip">${texts.all(size)}</a> <a href="/s/${code}/all.zip?proofs=true">${texts.allWithProofs}</a> ${texts.allUnchecked}</p>`}
<ul class="files card">
${files.map(file => renderFile(file, hasEvidence, info))}</ul>
<p id="status" class="said" role="status" aria-live="polite"></p>
${files.length > 0 && renderHelp(keys, info)}
</main>`;
}

/** The URL fragment stays in the browser; the app reads it there. */
const toAppLink = (code: string): string => `/app#/share/${encodeURIComponent(code)}`;

/** In the verifier's format for a trusted key. */
const toKeyLink = (key: IssuerKey): string =>
  `data:application/json;charset=utf-8,${encodeURIComponent(`${JSON.stringify(key)}\n`)}`;

function renderKeys(keys: readonly IssuerKey[], language: Language): Html {
  const texts = shareWords[language];
  return html`<h2>${texts.keyTitle}</h2>
<p>${texts.keyText}</p>
<dl class="keys">
${keys.map(
  key => html`<dt>${texts.keyOf(key.keyId, key.keyVersion)}</dt>
<dd>${texts.fingerprint} <code>${key.publicKeyFingerprint}</code> <a href="${toKeyLink(key)}" download="${key.keyId}-${key.keyVersion}.json">${texts.saveKey}</a></dd>
`,
)}</dl>`;
}

function renderHelp(keys: readonly IssuerKey[], { language, code, baseUrl }: SharePageInfo): Html {
  const texts = shareWords[language];
  return html`<p><a href="${toAppLink(code)}">${texts.keep}</a></p>
<h2>${texts.checkTitle}</h2>
<p>${texts.checkedHere}</p>
<p>${texts.checkText} <a href="/verify">${texts.checkLink}</a>${texts.sentenceEnd}${texts.checkEnd}</p>
<div id="check"></div>
${keys.length > 0 && renderKeys(keys, language)}
<p>${texts.terminal}</p>
<pre><code>recordproof shares get ${baseUrl}/s/${code}</code></pre>`;
}

function renderFile(file: ShownFile, hasEvidence: boolean, { code, language }: SharePageInfo): Html {
  const texts = shareWords[language];
  const { fileSize, fileHash, contentHash, hasProof } = file;
  const name = toShownName(toFilePath(file));
  const size = toSize(fileSize);
  const address = `/s/${code}/files/${fileHash}`;
  const forms = hasEvidence ? ['evidence', 'proof'] : ['proof'];
  const proofPaths = hasProof ? forms.map(form => `${address}/${form}`) : [];
  const proof = hasProof
    ? html`<a href="${address}/proof" aria-label="${texts.proofOf(name)}">${texts.proof}</a>`
    : html`<span>${texts.noProof}</span>`;
  const evidence =
    hasProof &&
    hasEvidence &&
    html` <a href="${address}/evidence" aria-label="${texts.evidenceOf(name)}">${texts.evidence}</a>`;
  return html`<li>
${renderIcon(file, address)}
<div class="file"><strong dir="auto">${name}</strong><span>${size}</span> ${proof}${evidence}</div>
<a class="button plain" href="${address}" aria-label="${texts.downloadOf(name, size)}" data-name="${toShownName(file.fileName)}" data-size="${fileSize}" data-hash="${contentHash}" data-type="${file.contentType}" data-proofs="${proofPaths.join(' ')}">${texts.download}</a>
<details><summary>SHA-256</summary><code>${contentHash.slice('sha256:'.length)}</code></details>
</li>
`;
}

/** The thumbnail, or what kind of file it is; the name next to it says the rest. */
const renderIcon = ({ contentType, hasThumbnail }: ShownFile, address: string): Html =>
  hasThumbnail
    ? html`<img class="thumbnail" src="${address}/thumbnail" alt="" width="48" height="48" loading="lazy" decoding="async">`
    : html`<svg class="thumbnail" viewBox="0 0 24 24" aria-hidden="true"><path d="${iconPaths[iconOf(contentType)]}"/></svg>`;

function renderPassword(wrong: Wrong | null, { code, language }: SharePageInfo): Html {
  const texts = shareWords[language];
  return html`<main id="content">
<h1>${texts.passwordTitle}</h1>
<p class="lead">${texts.passwordLead}</p>
<form class="card" method="post" action="/s/${code}">
<p class="field">
<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="off" required maxlength="64" autofocus${wrong !== null && html` aria-invalid="true" aria-describedby="problem"`}>
</p>
${wrong !== null && html`<p id="problem" class="problem" role="alert">${texts.wrong}${wrong.triesLeft !== null && html` ${texts.triesLeft(wrong.triesLeft)}`}</p>`}
<button type="submit">${texts.show}</button>
</form>
</main>`;
}

function renderPrivate({ code, baseUrl, language }: SharePageInfo): Html {
  const texts = shareWords[language];
  return html`<main id="content">
<h1>${texts.privateTitle}</h1>
<p class="lead">${texts.privateLead}</p>
<p><a class="button" href="${toAppLink(code)}">${texts.signIn}</a></p>
<h2>${texts.inApp}</h2>
<p><a class="button plain" href="recordproof://share/${encodeURIComponent(code)}">${texts.openInApp}</a></p>
<p>${texts.inAppText(baseUrl, code)}</p>
<h2>${texts.inTerminal}</h2>
<pre><code>recordproof login --server ${baseUrl}
recordproof shares get ${baseUrl}/s/${code}</code></pre>
</main>`;
}
