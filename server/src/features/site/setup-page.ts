// The set-up page for the first administrator, and its replacement afterwards.
import { setUp } from '@recordproof/shared/api/auth.ts';
import { type Html, html } from '@recordproof/shared/theme/html.ts';
import { frameWords } from '@recordproof/shared/words/pages.ts';
import { setupWords } from '@recordproof/shared/words/setup.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { type Page, toPage } from './layout.ts';

type Info = { readonly language: Language; readonly version: string; readonly baseUrl: string };
type Field = { readonly id: string; readonly label: string; readonly hint: string; readonly autocomplete: string };

function listFields(language: Language): Field[] {
  const texts = setupWords[language];
  return [
    { id: 'setupCode', label: texts.setupCode, hint: texts.setupCodeHint, autocomplete: 'off' },
    { id: 'username', label: texts.username, hint: texts.usernameHint, autocomplete: 'username' },
    { id: 'email', label: texts.email, hint: texts.emailHint, autocomplete: 'email' },
    { id: 'password', label: texts.password, hint: texts.passwordHint, autocomplete: 'new-password' },
    { id: 'passwordAgain', label: texts.passwordAgain, hint: texts.passwordAgainHint, autocomplete: 'new-password' },
  ];
}

const typeOf = ({ id, autocomplete }: Field): string =>
  autocomplete === 'new-password' ? 'password' : id === 'email' ? 'email' : 'text';

const input = (field: Field): Html => html`<p class="field">
<label for="${field.id}">${field.label}</label>
<input id="${field.id}" name="${field.id}" type="${typeOf(field)}" autocomplete="${field.autocomplete}" required aria-describedby="${field.id}-problem ${field.id}-hint">
<strong class="problem" id="${field.id}-problem"></strong>
<small id="${field.id}-hint">${field.hint}</small>
</p>
`;

export function renderSetupPage({ language, version, baseUrl }: Info, script: string): Page {
  const texts = setupWords[language];
  return toPage(
    { language, title: texts.title, version, bodyClass: 'narrow', script },
    html`<main id="content">
<h1 id="title" tabindex="-1">${texts.title}</h1>
<p class="lead" id="lead">${texts.lead}</p>
<form id="setup" class="card" action="${setUp.path}" novalidate>
${listFields(language).map(input)}
<p id="result" class="problem" role="alert"></p>
<button id="create" type="submit">${texts.create}</button>
</form>
<div id="done" class="card" hidden>
<p>${texts.next}</p>
<p><a class="button" href="/app">${texts.openApp}</a></p>
<p>${texts.orTerminal}</p>
<pre><code id="command"></code></pre>
<p><button id="copy" type="button" class="plain">${frameWords[language].copy}</button></p>
</div>
<noscript><p>${texts.needsScript}</p><pre><code>recordproof setup --server ${baseUrl}</code></pre></noscript>
</main>`,
  );
}

export function renderSetUpAlready({ language, version, baseUrl }: Info): Page {
  const texts = setupWords[language];
  return toPage(
    { language, title: texts.settledTitle, version },
    html`<main id="content">
<h1>${texts.settledTitle}</h1>
<p class="lead">${texts.settled}</p>
<p><a class="button" href="/app">${texts.openApp}</a></p>
<p>${texts.orTerminal}</p>
<pre><code>recordproof login --server ${baseUrl}</code></pre>
<p><a href="/">${frameWords[language].toStart}</a></p>
</main>`,
  );
}
