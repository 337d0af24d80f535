// "Try it" forms of the API reference: call an endpoint with the typed values and the page's token. The token is never
// stored, and the response is only shown as text.
import { element } from '@recordproof/shared/browser/elements.ts';
import { docsWords } from '@recordproof/shared/words/docs.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';

const texts = docsWords[toLanguage(document.documentElement.lang)];
const longestShown = 100_000;

/** Shared by all endpoints of the page. */
let token = '';

function toField(label: string, field: HTMLInputElement | HTMLTextAreaElement, id: string): HTMLElement {
  field.id = id;
  field.setAttribute('autocomplete', 'off');
  return element('p', { class: 'field' }, element('label', { for: id }, label), field);
}

type Inputs = {
  readonly fields: ReadonlyMap<string, HTMLInputElement>;
  readonly body: HTMLTextAreaElement | undefined;
};

function toAddress(path: string, query: readonly string[], { fields }: Inputs): string {
  const typed = (name: string): string => fields.get(name)?.value ?? '';
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(typed(name)));
  const filledFields = query.filter(name => typed(name) !== '').map(name => [name, typed(name)]);
  return filledFields.length === 0 ? filled : `${filled}?${new URLSearchParams(filledFields)}`;
}

async function toText(response: Response): Promise<string> {
  const head = `${response.status} ${response.statusText}`;
  const isText = /json|text/.test(response.headers.get('content-type') ?? '');
  if (!isText) return `${head}\n${texts.notText((await response.arrayBuffer()).byteLength)}`;
  const text = await response.text();
  try {
    return `${head}\n${JSON.stringify(JSON.parse(text), null, 2).slice(0, longestShown)}`;
  } catch {
    return `${head}\n${text.slice(0, longestShown)}`;
  }
}

/** For endpoints with no body or a JSON body; files and streams are for programs. */
export function addTryOut(box: HTMLElement): void {
  const { method = 'GET', path = '', query = '', example } = box.dataset;
  const name = box.id;
  const queries = query.split(' ').filter(Boolean);
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param);
  const fields = new Map([...params, ...queries].map(param => [param, element('input', { type: 'text' })]));
  const tokenField = element('input', { type: 'password', value: token });
  const body = example === undefined ? undefined : element('textarea', { rows: '6', spellcheck: 'false' });
  if (body !== undefined) body.value = example ?? '';
  const answer = element('pre', { role: 'status', tabindex: '0', 'aria-label': texts.answer, hidden: '' });
  const button = element('button', { type: 'submit', class: 'plain' }, texts.send);
  const form = element(
    'form',
    { class: 'try', 'aria-label': `${texts.tryIt}: ${name}` },
    toField(`${texts.token} (${texts.tokenHint})`, tokenField, `${name}-token`),
    ...[...fields].map(([param, field]) => toField(param, field, `${name}-${param}`)),
    ...(body === undefined ? [] : [toField(texts.body, body, `${name}-body`)]),
    button,
    answer,
  );
  form.addEventListener('submit', async event => {
    event.preventDefault();
    token = tokenField.value.trim();
    button.disabled = true;
    answer.textContent = await call(method, toAddress(path, queries, { fields, body }), body?.value).catch(
      () => texts.noAnswer,
    );
    answer.hidden = false;
    button.disabled = false;
  });
  box.append(element('details', {}, element('summary', {}, texts.tryIt), form));
}

async function call(method: string, address: string, body: string | undefined): Promise<string> {
  const headers = {
    ...(token !== '' && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return toText(await fetch(address, { method, headers, ...(body !== undefined && { body }) }));
}
