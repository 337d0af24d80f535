// Script of the set-up page, which creates the first administrator. The code is typed in, or comes in the URL fragment,
// which browsers do not send. Errors are shown next to their field, which gets the focus.
import type { setUp } from '@recordproof/shared/api/auth.ts';
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import { find } from '@recordproof/shared/browser/elements.ts';
import { frameWords } from '@recordproof/shared/words/pages.ts';
import { setupWords } from '@recordproof/shared/words/setup.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';

type Envelope<T> = { readonly code: number; readonly message: string; readonly data: T | null };
type Answer = Envelope<AnswerOf<typeof setUp>>;

const language = toLanguage(document.documentElement.lang);
const texts = setupWords[language];
const form = find('setup', HTMLFormElement);
const button = find('create', HTMLButtonElement);
const result = find('result', HTMLElement);
const names = ['setupCode', 'username', 'email', 'password', 'passwordAgain'] as const;
const fields = new Map(names.map(name => [name, find(name, HTMLInputElement)]));

type Name = (typeof names)[number];
type Problem = { readonly field?: Name; readonly text: string };

const typed = (name: Name): string => fields.get(name)?.value ?? '';

function show({ field, text }: Problem): void {
  for (const [name, input] of fields) {
    const isIt = name === field;
    find(`${name}-problem`, HTMLElement).textContent = isIt ? text : '';
    if (isIt) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  }
  result.textContent = field === undefined ? text : '';
  if (field !== undefined) fields.get(field)?.focus();
}

/** Known errors (wrong code, taken name, existing administrator) by the numbers of the contract. */
function toProblem({ code, message }: Answer): Problem {
  if (code === 20010) return { field: 'setupCode', text: texts.wrongCode };
  if (code === 20005) return { field: 'username', text: texts.taken };
  if (code === 409) return { text: texts.closed };
  const field = names.find(name => message.startsWith(`${name}:`) || message.startsWith(`${name} `));
  const rule = message.split('; ')[0]?.replace(/^\w+: /, '') ?? message;
  const text = `${texts.notValid} ${rule}.`;
  return field === undefined ? { text } : { field, text };
}

function findMissing(): Problem | undefined {
  const empty = names.find(name => typed(name) === '');
  if (empty !== undefined) return { field: empty, text: find(`${empty}-hint`, HTMLElement).textContent ?? '' };
  return typed('password') === typed('passwordAgain') ? undefined : { field: 'passwordAgain', text: texts.notSame };
}

async function post<T>(path: string, body: object, more: Record<string, string> = {}): Promise<Envelope<T>> {
  const headers = { 'content-type': 'application/json', ...more };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}

const send = (): Promise<Answer> =>
  post(form.action, Object.fromEntries(names.slice(0, 4).map(name => [name, typed(name)])));

/** Signs in, so that the app does not ask for the same data again. */
async function signIn(): Promise<void> {
  const { data } = await post<{ readonly token: string }>('/api/v1/auth/login', {
    username: typed('username'),
    password: typed('password'),
  });
  if (data) await post('/api/v1/auth/browser-session', { stay: true }, { authorization: `Bearer ${data.token}` });
}

function celebrate(username: string): void {
  form.hidden = true;
  const title = find('title', HTMLElement);
  title.textContent = texts.done;
  find('lead', HTMLElement).textContent = texts.isAdmin(username);
  find('command', HTMLElement).textContent = `recordproof login --server ${location.origin}`;
  find('done', HTMLElement).hidden = false;
  title.focus();
}

async function submit(): Promise<void> {
  const missing = findMissing();
  if (missing !== undefined) return show(missing);
  button.disabled = true;
  show({ text: texts.oneMoment });
  try {
    const answer = await send();
    if (answer.data !== null) {
      await signIn().catch(() => undefined); // otherwise the app asks for the password
      return celebrate(answer.data.username);
    }
    show(toProblem(answer));
  } catch {
    show({ text: texts.noAnswer });
  } finally {
    button.disabled = false;
  }
}

if (location.hash.length > 1) {
  const code = fields.get('setupCode');
  if (code !== undefined) code.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, '', location.pathname);
  fields.get('username')?.focus();
}
form.addEventListener('submit', event => {
  event.preventDefault();
  void submit();
});
const copy = find('copy', HTMLButtonElement);
copy.addEventListener('click', async () => {
  await navigator.clipboard.writeText(find('command', HTMLElement).textContent ?? '');
  copy.textContent = frameWords[language].copied;
});
copy.hidden = !isSecureContext;
