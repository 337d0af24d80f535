// Script of the API reference: filters endpoints while typing, and opens the one in the URL. The page is readable
// without it.
import { element, find } from '@recordproof/shared/browser/elements.ts';
import { docsWords } from '@recordproof/shared/words/docs.ts';
import { frameWords } from '@recordproof/shared/words/pages.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';
import { addTryOut } from './try-out.ts';

const language = toLanguage(document.documentElement.lang);
const texts = docsWords[language];

const field = find('filter', HTMLInputElement);
const found = find('found', HTMLOutputElement);
const nothing = find('nothing', HTMLElement);
const endpoints = [...document.querySelectorAll<HTMLDetailsElement>('.endpoint')];
const asides = [...document.querySelectorAll<HTMLElement>('[data-aside]')];
const features = [...document.querySelectorAll<HTMLElement>('[data-feature]')];

function filter(): void {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const endpoint of endpoints)
    endpoint.hidden = !words.every(word => endpoint.dataset.words?.includes(word) ?? false);
  for (const feature of features) feature.hidden = !feature.querySelector('.endpoint:not([hidden])');
  for (const aside of asides) aside.hidden = words.length > 0;
  const count = endpoints.filter(endpoint => !endpoint.hidden).length;
  found.textContent = texts.found(count);
  nothing.textContent = count === 0 ? texts.nothing : '';
}

function clear(): void {
  field.value = '';
  filter();
}

function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return;
  if (target.closest('[hidden]')) clear();
  const endpoint = target.closest<HTMLDetailsElement>('.endpoint');
  if (endpoint) endpoint.open = true;
  target.scrollIntoView();
}

/** On first opening, because most are never opened. */
function equip(endpoint: HTMLDetailsElement): void {
  const example = endpoint.querySelector('pre');
  const text = example?.textContent ?? '';
  const copy = element('button', { type: 'button', class: 'plain copy' }, frameWords[language].copy);
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = frameWords[language].copied;
  });
  if (isSecureContext) example?.after(copy);
  const box = endpoint.querySelector<HTMLElement>('[data-path]');
  if (box) addTryOut(box);
}

for (const endpoint of endpoints) endpoint.addEventListener('toggle', () => equip(endpoint), { once: true });
document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === field) return;
  event.preventDefault();
  field.focus();
});
field.addEventListener('keydown', event => {
  if (event.key === 'Escape') clear();
});
field.addEventListener('input', filter);
field.disabled = false;
addEventListener('hashchange', openTarget);
if (matchMedia('(max-width: 48rem)').matches) find('contents', HTMLDetailsElement).open = false;
filter();
openTarget();
