// The page of a share: shows how far a download is and checks it against its SHA-256. What is too large for that stays a
// plain link, and can be checked once it is saved.
import { sha256 } from '@noble/hashes/sha2.js';
import { element, find } from '@recordproof/shared/browser/elements.ts';
import { shareWords } from '@recordproof/shared/words/share.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';
import { checkSaved } from './check-saved.ts';
import { hashNameOf } from './hash-name.ts';
import { canSink, openSink, type Sink } from './sinks.ts';

const language = toLanguage(document.documentElement.lang);
const say = shareWords[language];
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

/** Into the sink, block by block; answers whether it is what was shared. */
async function receive({ url, size, hash }: Wanted, sink: Sink, { show, signal }: Watching): Promise<boolean> {
  const response = await fetch(url, { signal });
  if (response.redirected) throw new Refusal(say.openAgain);
  if (!response.ok || response.body === null) throw refusalOf(response.status);
  const digest = sha256.create();
  let received = 0;
  const reader = response.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    digest.update(next.value);
    await sink.write(next.value);
    received += next.value.length;
    show(received);
  }
  if (received !== size) throw new Refusal(say.brokeOff);
  return hashNameOf(digest.digest()) === hash;
}

type Watching = { readonly show: (received: number) => void; readonly signal: AbortSignal };

async function download(wanted: Wanted, watching: Watching): Promise<string> {
  const sink = await openSink(wanted);
  try {
    if (!(await receive(wanted, sink, watching))) throw new Refusal(say.notIt);
  } catch (error) {
    await sink.drop().catch(() => {});
    throw error;
  }
  await sink.keep();
  return say.savedRight(wanted.name);
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
  status.textContent = await download(wanted, { show, signal: stop.signal }).catch(toText);
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
const links = [...document.querySelectorAll<HTMLAnchorElement>('a[data-hash]')];
for (const link of links)
  link.addEventListener('click', event => {
    if (!isPlain(event)) return;
    if (!canSink(wantedBy(link).size)) {
      status.textContent = say.checkAfter;
      return;
    }
    event.preventDefault();
    void begin(link);
  });
document.getElementById('check')?.append(checkSaved(say, links.map(wantedBy)));
