// The page of a drop link: its form and messages; its script sends the files. Titles, messages and labels are untrusted
// text of the owner.
import type { DropField } from '@recordproof/shared/api/drop-links.ts';
import type { DropInfo } from '@recordproof/shared/api/drop-senders.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { type Html, html } from '@recordproof/shared/theme/html.ts';
import { dropWords } from '@recordproof/shared/words/drop.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { type Page, toPage } from './layout.ts';
import { toDate } from './share-page.ts';
import { toSize } from './sizes.ts';

type DropPageInfo = {
  readonly language: Language;
  readonly code: string;
  readonly version: string;
  readonly script: string;
};

/** `drop` is null if there is no such link. */
export function renderDropPage(drop: DropInfo | null, info: DropPageInfo): Page {
  const { language, version, script } = info;
  const title = `${drop?.title ?? dropWords[language].gone} – RecordProof`;
  return toPage(
    { language, title, version, bodyClass: 'narrow drop', ...(drop && { script }) },
    drop === null ? renderGone(language) : renderDrop(drop, info),
  );
}

const renderGone = (language: Language): Html => html`<main id="content">
<h1>${dropWords[language].gone}</h1>
<p class="lead">${dropWords[language].goneText}</p>
</main>`;

function renderDrop(drop: DropInfo, { language, code }: DropPageInfo): Html {
  const texts = dropWords[language];
  const { title, message, recipient, expireTime, maxFileBytes, bytesLeft, hasPassword, fields } = drop;
  const most = toSize(Math.min(maxFileBytes, bytesLeft));
  const isAsked = hasPassword || fields.length > 0;
  return html`<main id="content" data-code="${code}" data-state="${drop.state}">
<h1 dir="auto">${toShownName(title)}</h1>
<p class="lead"><span dir="auto">${texts.asks(toShownName(recipient))}</span>${texts.sentenceEnd}${drop.state === 'OPEN' && html`${texts.openUntil} <time datetime="${expireTime}">${toDate(expireTime, language)}</time>${texts.sentenceEnd}${texts.upTo(most)}${texts.sentenceEnd.trim()}`}</p>
${message !== null && html`<p class="message" dir="auto">${message}</p>`}
<noscript><p class="problem">${texts.noScript}</p></noscript>
${drop.state === 'OPEN' ? html`${isAsked && renderForm(drop, language)}${renderChoice(isAsked, language)}` : renderOver(drop.state, language)}
<p id="problem" class="problem" role="alert"></p>
<section id="sent" hidden>
<h2>${texts.yours}</h2>
<p id="status" class="said" role="status" aria-live="polite"></p>
<ul id="files" class="files card"></ul>
</section>
<section id="receipts" hidden>
<h2>${texts.keepTitle}</h2>
<p>${texts.keep} ${texts.check}</p>
<pre><code>recordproof-verify receipt FILE.receipt.json --file FILE --trusted-key issuer-key.json</code></pre>
<p><button type="button" class="plain" id="key">${texts.key}</button></p>
</section>
</main>`;
}

const renderOver = (state: 'FULL' | 'EXPIRED' | 'CLOSED', language: Language): Html => {
  const texts = dropWords[language];
  const text = { FULL: texts.full, EXPIRED: texts.expired, CLOSED: texts.closed }[state];
  return html`<p class="card over"><strong>${text}</strong> ${texts.askOwner}</p>`;
};

const inputs: Readonly<Record<DropField['kind'], Html>> = {
  NAME: html`type="text" autocomplete="name"`,
  MAIL: html`type="email" autocomplete="email"`,
  TEXT: html`type="text" autocomplete="off"`,
};

function renderForm({ fields, hasPassword }: DropInfo, language: Language): Html {
  const texts = dropWords[language];
  return html`<form id="enter" class="card" novalidate>
${fields.map(
  ({ label, kind, required }, at) => html`<p class="field">
<label for="field-${String(at)}"><span dir="auto">${label}</span>${!required && html` <small>(${texts.optional})</small>`}</label>
<input id="field-${String(at)}" data-label="${label}" data-kind="${kind}" ${inputs[kind]} maxlength="500"${required && html` required`}>
</p>
`,
)}${
  hasPassword &&
  html`<p class="field">
<label for="password">${texts.password}</label>
<input id="password" type="password" autocomplete="off" required maxlength="64" aria-describedby="password-hint">
<small id="password-hint">${texts.passwordHint}</small>
</p>
`
}<button type="submit">${texts.go}</button>
</form>`;
}

/** Labels around inputs work by pointer, keyboard and touch. */
function renderChoice(isHidden: boolean, language: Language): Html {
  const texts = dropWords[language];
  return html`<div id="choice" class="card choice"${isHidden && html` hidden`}>
<label class="button" for="choose">${texts.choose}</label><input id="choose" class="unseen" type="file" multiple>
<label class="button plain" for="folder">${texts.chooseFolder}</label><input id="folder" class="unseen" type="file" webkitdirectory>
<label class="button plain" for="photo">${texts.photo}</label><input id="photo" class="unseen" type="file" accept="image/*" capture="environment">
<p class="hint">${texts.dropHere}</p>
</div>`;
}
