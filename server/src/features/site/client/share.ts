// The page of a share: shows how far a download is, checks it against its SHA-256 and then against its proof. What is too
// large for that stays a plain link, and can be checked once it is saved.
import { element, find } from '@recordproof/shared/browser/elements.ts';
import { shareWords } from '@recordproof/shared/words/share.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';
import { checkSaved } from './check-saved.ts';
import { Rejection, receive, toText, type Watching } from './receive.ts';
import { canSink, openSink } from './sinks.ts';
import { type ProofPlaces, showVerdict } from './verdict.ts';
import { addViewButtons } from './view-files.ts';

const language = toLanguage(document.documentElement.lang);
const texts = shareWords[language];
const status = find('status', HTMLElement);

type DownloadInput = {
  readonly url: string;
  readonly name: string;
  readonly size: number;
  readonly hash: string;
  readonly proofs: ProofPlaces;
  /** The element for its verdict. */
  readonly place: HTMLElement;
};

function toWanted(link: HTMLAnchorElement): DownloadInput {
  const { name = '', size, hash = '', proofs = '' } = link.dataset;
  const place = element('div', { class: 'checked' });
  link.parentElement?.append(place);
  return { url: link.href, name, size: Number(size), hash, proofs: proofs.split(' ').filter(Boolean), place };
}

const judge = ({ place, proofs }: DownloadInput, file: File): Promise<string> =>
  showVerdict(place, proofs, { texts, language, file });

async function download(wanted: DownloadInput, watching: Watching): Promise<File> {
  const sink = await openSink(wanted);
  try {
    if (!(await receive(texts, wanted, { write: sink.write, ...watching }))) throw new Rejection(texts.notIt);
  } catch (error) {
    await sink.drop().catch(() => {});
    throw error;
  }
  return sink.keep();
}

async function begin(link: HTMLAnchorElement, wanted: DownloadInput): Promise<void> {
  const stop = new AbortController();
  const progress = element('progress', {
    max: `${wanted.size}`,
    value: '0',
    'aria-label': texts.progressOf(wanted.name),
  });
  const stopButton = element('button', { type: 'button', class: 'plain' }, texts.stop);
  stopButton.setAttribute('aria-label', texts.stopOf(wanted.name));
  stopButton.addEventListener('click', () => stop.abort());
  const underWay = element('div', { class: 'under-way' }, progress, stopButton);
  const show = (received: number) => {
    progress.value = received;
  };
  link.hidden = true;
  link.after(underWay);
  stopButton.focus();
  wanted.place.replaceChildren(); // clears the verdict on earlier bytes
  status.textContent = texts.onItsWay(wanted.name);
  const saved = await download(wanted, { show, signal: stop.signal }).catch(problem => toText(texts, problem));
  status.textContent = typeof saved === 'string' ? saved : texts.savedRight(wanted.name);
  const hadFocus = document.activeElement === stopButton;
  underWay.remove();
  link.hidden = false;
  if (hadFocus) link.focus();
  if (typeof saved !== 'string') status.textContent = texts.verdictOf(wanted.name, await judge(wanted, saved));
}

const isPlain = ({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey;

for (const time of document.querySelectorAll('time'))
  time.textContent = new Date(time.dateTime).toLocaleString(language === 'en' ? 'en-GB' : 'zh-CN', {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
const links = [...document.querySelectorAll<HTMLAnchorElement>('a[data-hash]')].map(
  link => [link, toWanted(link)] as const,
);
addViewButtons(links, language);
for (const [link, wanted] of links)
  link.addEventListener('click', event => {
    if (!isPlain(event)) return;
    if (!canSink(wanted.size)) {
      status.textContent = texts.checkAfter;
      return;
    }
    event.preventDefault();
    void begin(link, wanted);
  });
document.getElementById('check')?.append(
  checkSaved(
    texts,
    links.map(([, wanted]) => wanted),
    judge,
  ),
);
