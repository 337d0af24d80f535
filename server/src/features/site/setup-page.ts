// Making the first administrator in a browser. The code is typed in, or comes behind the # of the address, which
// browsers keep to themselves.
import { html } from './html.ts';
import { toPage } from './layout.ts';

type Field = { id: string; label: string; type: string; hint: string; autocomplete: string };

const fields: readonly Field[] = [
  {
    id: 'setupCode',
    label: 'Set-up code',
    type: 'text',
    hint: 'Printed where the server was started.',
    autocomplete: 'off',
  },
  {
    id: 'username',
    label: 'User name',
    type: 'text',
    hint: '3 to 32 letters (Latin, Chinese, Japanese or Korean), digits, dots, hyphens or underscores.',
    autocomplete: 'username',
  },
  { id: 'email', label: 'E-mail address', type: 'email', hint: 'For resetting the password.', autocomplete: 'email' },
  { id: 'password', label: 'Password', type: 'password', hint: '8 to 128 characters.', autocomplete: 'new-password' },
  {
    id: 'passwordAgain',
    label: 'Password again',
    type: 'password',
    hint: 'The same once more, against slips.',
    autocomplete: 'new-password',
  },
];

const input = ({ id, label, type, hint, autocomplete }: Field) => html`<p class="field">
<label for="${id}">${label}</label>
<input id="${id}" name="${id}" type="${type}" autocomplete="${autocomplete}" required aria-describedby="${id}-hint">
<small id="${id}-hint">${hint}</small>
</p>
`;

export const renderSetupPage = (version: string): string =>
  toPage(
    { title: 'Set up RecordProof', version, bodyClass: 'landing', script: '/assets/setup.js' },
    html`<main id="content">
<h1>Create the first administrator</h1>
<p class="lead">This works once, on a server that has no administrator yet.</p>
<form id="setup">
${fields.map(input)}
<p><button type="submit">Create</button></p>
</form>
<noscript><p>This form needs JavaScript. Without it, run <code>recordproof setup</code> in a terminal.</p></noscript>
<p id="result" role="status" aria-live="polite"></p>
</main>`,
  );

export const renderSetUpAlready = (version: string, baseUrl: string): string =>
  toPage(
    { title: 'RecordProof is set up', version, bodyClass: 'landing' },
    html`<main id="content">
<h1>This server is set up</h1>
<p class="lead">It has an administrator, who can open further accounts; the form for the first one is closed.</p>
<p>Log in from a terminal:</p>
<pre><code>recordproof login --server ${baseUrl}</code></pre>
<p><a href="/">To the start page</a></p>
</main>`,
  );

/** Sends the form; the answer's own sentence is what the person reads. */
export const setupScript = `'use strict';
const form = document.getElementById('setup');
const result = document.getElementById('result');
const code = form.elements.namedItem('setupCode');
if (location.hash.length > 1) {
  code.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, '', location.pathname);
}
form.addEventListener('submit', async event => {
  event.preventDefault();
  const { passwordAgain, ...fields } = Object.fromEntries(new FormData(form));
  if (passwordAgain !== fields.password) {
    result.textContent = 'Not yet: the two passwords are not the same.';
    form.elements.namedItem('passwordAgain').focus();
    return;
  }
  const button = form.querySelector('button');
  button.disabled = true;
  result.textContent = 'One moment …';
  try {
    const response = await fetch('/api/v1/auth/setup', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
    const { code: status, message, data } = await response.json();
    if (status === 200) {
      form.hidden = true;
      result.textContent = 'Done: ' + data.username + ' is the administrator. Log in with: recordproof login --server ' + location.origin;
    } else result.textContent = 'Not yet: ' + message.replace(/[.]$/, '') + '.';
  } catch {
    result.textContent = 'The server did not answer; try again.';
  }
  button.disabled = false;
});
`;
