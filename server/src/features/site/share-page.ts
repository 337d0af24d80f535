// The page behind the link of a share. Works without script: the files are plain links, the password an ordinary form.
// What it says of a share is what shares tell; file names are whatever their owners typed.
import type { SharedFile } from '@recordproof/shared/api/shares.ts';
import { type Html, html } from './html.ts';
import { toPage } from './layout.ts';

export type ShareView =
  | { readonly kind: 'files'; readonly files: readonly SharedFile[]; readonly expiresAt: string }
  | { readonly kind: 'password'; readonly problem: string | null }
  | { readonly kind: 'private' }
  | { readonly kind: 'refused'; readonly title: string; readonly text: string };

export type SharePageInfo = { readonly code: string; readonly baseUrl: string; readonly version: string };

export function renderSharePage(view: ShareView, info: SharePageInfo): string {
  const { version } = info;
  const frame = { title: titleOf(view), version, bodyClass: 'landing share' };
  if (view.kind !== 'files') return toPage(frame, renderBody(view, info));
  return toPage({ ...frame, script: '/assets/share.js' }, renderBody(view, info));
}

function titleOf(view: ShareView): string {
  switch (view.kind) {
    case 'files':
      return 'Shared files – RecordProof';
    case 'password':
      return view.problem === null ? 'Password – RecordProof' : 'Wrong password – RecordProof';
    case 'private':
      return 'Private share – RecordProof';
    case 'refused':
      return `${view.title} – RecordProof`;
  }
}

function renderBody(view: ShareView, info: SharePageInfo): Html {
  switch (view.kind) {
    case 'files':
      return renderFiles(view.files, view.expiresAt, info);
    case 'password':
      return renderPassword(view.problem, info);
    case 'private':
      return renderPrivate(info);
    case 'refused':
      return html`<main id="content">
<h1>${view.title}</h1>
<p class="lead">${view.text}</p>
</main>`;
  }
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function toSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(value < 100 ? 1 : 0)} ${units[unit]}`;
}

const toDate = (iso: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(iso))} UTC`;

function renderFiles(files: readonly SharedFile[], expiresAt: string, info: SharePageInfo): Html {
  const bytes = files.reduce((sum, file) => sum + file.fileSize, 0);
  const count = files.length === 1 ? 'One file' : `${files.length} files`;
  return html`<main id="content">
<h1>Shared files</h1>
<p class="lead">${files.length === 0 ? 'Nothing is left in this share' : `${count}, ${toSize(bytes)}`}. Here until <time datetime="${expiresAt}">${toDate(expiresAt)}</time>.</p>
<ul class="files">
${files.map(file => renderFile(file, info.code))}</ul>
<p id="status" role="status" aria-live="polite"></p>
${files.length > 0 && renderCommand('Or in a terminal, where every byte is checked and a broken download goes on:', `share get ${info.baseUrl}/s/${info.code}`)}
</main>`;
}

/** Letters that turn others around would let `gpj.exe` read as `exe.jpg`. */
const toShownName = (fileName: string): string => fileName.replace(/[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');

function renderFile({ fileName, fileSize, fileHash, contentHash }: SharedFile, code: string): Html {
  const name = toShownName(fileName);
  return html`<li>
<div class="file"><strong dir="auto">${name}</strong><span>${toSize(fileSize)}</span></div>
<a class="button" href="/s/${code}/files/${fileHash}" aria-label="Download ${name}, ${toSize(fileSize)}" data-name="${name}" data-size="${fileSize}" data-hash="${contentHash}">Download</a>
<details><summary>SHA-256</summary><code>${contentHash.slice('sha256:'.length)}</code></details>
</li>
`;
}

const renderCommand = (words: string, command: string): Html => html`<p>${words}</p>
<pre><code>recordproof ${command}</code></pre>`;

const renderPassword = (problem: string | null, { code }: SharePageInfo): Html => html`<main id="content">
<h1>This share has a password</h1>
<p class="lead">Whoever sent you the link knows it.</p>
<form method="post" action="/s/${code}">
<p class="field">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" required maxlength="64" autofocus${problem !== null && html` aria-invalid="true" aria-describedby="problem"`}>
</p>
${problem !== null && html`<p id="problem" class="problem" role="alert">${problem}</p>`}
<p><button type="submit">Show the files</button></p>
</form>
</main>`;

const renderPrivate = ({ code, baseUrl }: SharePageInfo): Html => html`<main id="content">
<h1>This share is private</h1>
<p class="lead">It is for people with an account on this server. Log in with one of its programs; a browser alone is not enough.</p>
<h2>In a terminal</h2>
<pre><code>recordproof login --server ${baseUrl}
recordproof share get ${baseUrl}/s/${code}</code></pre>
<h2>In the desktop app</h2>
<p>Log in to <code>${baseUrl}</code> and open the code <code>${code}</code> there.</p>
</main>`;

/** Shows how far a download is and checks it against its SHA-256; what is too large for that stays a plain link. */
export const shareScript = `'use strict';
const largest = 256 * 1024 * 1024;
const status = document.getElementById('status');
for (const time of document.querySelectorAll('time'))
  time.textContent = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short' });

function refusalOf(code) {
  if (code === 410 || code === 404) return 'The share has ended. Load this page again.';
  if (code === 429) return 'Too many downloads at once. Try again in a minute.';
  return 'The server could not send the file. Try again.';
}

async function readAll(response, size, show, blocks) {
  let received = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    blocks.push(value);
    received += value.length;
    show(received / size);
  }
  if (received !== size) throw new Error('The download broke off. Try again.');
}

async function isRight(blob, expected) {
  if (!crypto.subtle) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
  return 'sha256:' + Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('') === expected;
}

function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

async function download(link, progress, signal) {
  const { name, size, hash } = link.dataset;
  const response = await fetch(link.href, { signal });
  if (response.redirected) throw new Error('The share has to be opened once more. Load this page again.');
  if (!response.ok) throw new Error(refusalOf(response.status));
  const blocks = [];
  await readAll(response, Number(size), share => { progress.value = share; }, blocks);
  const blob = new Blob(blocks, { type: 'application/octet-stream' });
  const right = await isRight(blob, hash);
  if (right === false) throw new Error('What arrived is not the file that was shared. Nothing was saved.');
  save(blob, name);
  return right ? name + ' is saved, and its SHA-256 is right.' : name + ' is saved.';
}

async function begin(link) {
  const stop = new AbortController();
  const progress = document.createElement('progress');
  progress.max = 1;
  progress.value = 0;
  progress.setAttribute('aria-label', 'Download of ' + link.dataset.name);
  const cancel = document.createElement('button');
  cancel.type = 'button';
  cancel.textContent = 'Stop';
  cancel.setAttribute('aria-label', 'Stop the download of ' + link.dataset.name);
  cancel.addEventListener('click', () => stop.abort());
  const underWay = document.createElement('div');
  underWay.className = 'under-way';
  underWay.append(progress, cancel);
  link.hidden = true;
  link.after(underWay);
  cancel.focus();
  status.textContent = link.dataset.name + ' is on its way.';
  try {
    status.textContent = await download(link, progress, stop.signal);
  } catch (error) {
    const isStopped = error.name === 'AbortError';
    const broken = error instanceof TypeError ? 'The server did not answer. Try again.' : error.message;
    status.textContent = isStopped ? 'Stopped. Nothing was saved.' : broken;
  }
  const hadFocus = document.activeElement === cancel;
  underWay.remove();
  link.hidden = false;
  if (hadFocus) link.focus();
}

for (const link of document.querySelectorAll('a[data-hash]'))
  link.addEventListener('click', event => {
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!isPlain || Number(link.dataset.size) > largest) return;
    event.preventDefault();
    begin(link);
  });
`;
