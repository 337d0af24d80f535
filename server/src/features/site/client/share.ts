// The page of a share: shows how far a download is and checks it against its SHA-256. What is too large for that stays a
// plain link.
import { element, find } from '@recordproof/shared/browser/elements.ts';
import { shareWords } from '@recordproof/shared/words/share.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';

const language = toLanguage(document.documentElement.lang);
const say = shareWords[language];
const largest = 256 * 1024 * 1024;
const status = find('status', HTMLElement);

/** Its message is for the person. */
class Refusal extends Error {}

function refusalOf(code: number): Refusal {
  if (code === 410 || code === 404) return new Refusal(say.ended);
  if (code === 429) return new Refusal(say.tooMany);
  return new Refusal(say.notSent);
}

type Wanted = { readonly url: string; readonly name: string; readonly size: number; readonly hash: string };

const wantedBy = ({ href, dataset: { name = '', size, hash = '' } }: HTMLAnchorElement): Wanted => ({
  url: href,
  name,
  size: Number(size),
  hash,
});

async function read({ url, size }: Wanted, show: (received: number) => void, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(url, { signal });
  if (response.redirected) throw new Refusal(say.openAgain);
  if (!response.ok || response.body === null) throw refusalOf(response.status);
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  const reader = response.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    blocks.push(next.value);
    received += next.value.length;
    show(received);
  }
  if (received !== size) throw new Refusal(say.brokeOff);
  return new Blob(blocks, { type: 'application/octet-stream' });
}

/** Undefined where the browser gives no hash: on pages that come neither by https nor from this computer. */
async function isRight(blob: Blob, expected: string): Promise<boolean | undefined> {
  if (!isSecureContext) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
  return `sha256:${Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')}` === expected;
}

function save(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  element('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

async function download(wanted: Wanted, show: (received: number) => void, signal: AbortSignal): Promise<string> {
  const blob = await read(wanted, show, signal);
  const right = await isRight(blob, wanted.hash);
  if (right === false) throw new Refusal(say.notIt);
  save(blob, wanted.name);
  return right ? say.savedRight(wanted.name) : say.saved(wanted.name);
}

function toText(problem: unknown): string {
  if (problem instanceof Refusal) return problem.message;
  const isStopped = problem instanceof DOMException && problem.name === 'AbortError';
  return isStopped ? say.stopped : say.noAnswer;
}

async function begin(link: HTMLAnchorElement): Promise<void> {
  const wanted = wantedBy(link);
  const stop = new AbortController();
  const progress = element('progress', {
    max: `${wanted.size}`,
    value: '0',
    'aria-label': say.progressOf(wanted.name),
  });
  const stopButton = element('button', { type: 'button', class: 'plain' }, say.stop);
  stopButton.setAttribute('aria-label', say.stopOf(wanted.name));
  stopButton.addEventListener('click', () => stop.abort());
  const underWay = element('div', { class: 'under-way' }, progress, stopButton);
  const show = (received: number) => {
    progress.value = received;
  };
  link.hidden = true;
  link.after(underWay);
  stopButton.focus();
  status.textContent = say.onItsWay(wanted.name);
  status.textContent = await download(wanted, show, stop.signal).catch(toText);
  const hadFocus = document.activeElement === stopButton;
  underWay.remove();
  link.hidden = false;
  if (hadFocus) link.focus();
}

const isPlain = ({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey;

for (const time of document.querySelectorAll('time'))
  time.textContent = new Date(time.dateTime).toLocaleString(language === 'en' ? undefined : language, {
    dateStyle: 'long',
    timeStyle: 'short',
  });
for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-hash]'))
  link.addEventListener('click', event => {
    if (!isPlain(event) || wantedBy(link).size > largest) return;
    event.preventDefault();
    void begin(link);
  });
