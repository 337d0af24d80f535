// Script of the share page: shows the progress of a download, checks it against its SHA-256 and then against its
// proof. Files that are too large for that stay plain links, and can be checked once they are saved.
import { element, find } from '@recordproof/shared/browser/elements.ts';
import { shareWords } from '@recordproof/shared/words/share.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';
import { checkSaved } from './check-saved.ts';
import { Rejection, receive, toText, type Watching } from './receive.ts';
import { canSink, openSink } from './sinks.ts';
import { type ProofAddresses, showVerdict } from './verdict.ts';
import { addViewButtons } from './view-files.ts';

const language = toLanguage(document.documentElement.lang);
const texts = shareWords[language];
const status = find('status', HTMLElement);

type DownloadInput = {
  readonly url: string;
  readonly name: string;
  readonly size: number;
  readonly hash: string;
  readonly proofs: ProofAddresses;
  /** The element for its verdict. */
  readonly box: HTMLElement;
};

function toDownloadInput(link: HTMLAnchorElement): DownloadInput {
  const { name = '', size, hash = '', proofs = '' } = link.dataset;
  const box = element('div', { class: 'checked' });
  link.parentElement?.append(box);
  return { url: link.href, name, size: Number(size), hash, proofs: proofs.split(' ').filter(Boolean), box };
}

const verifyAndShow = ({ box, proofs }: DownloadInput, file: File): Promise<string> =>
  showVerdict(box, proofs, { texts, language, file });

async function download(input: DownloadInput, watching: Watching): Promise<File> {
  const sink = await openSink(input);
  try {
    if (!(await receive(texts, input, { write: sink.write, ...watching }))) throw new Rejection(texts.notIt);
  } catch (error) {
    await sink.drop().catch(() => {});
    throw error;
  }
  return sink.keep();
}

async function begin(link: HTMLAnchorElement, input: DownloadInput): Promise<void> {
  const stop = new AbortController();
  const progress = element('progress', {
    max: `${input.size}`,
    value: '0',
    'aria-label': texts.progressOf(input.name),
  });
  const stopButton = element('button', { type: 'button', class: 'plain' }, texts.stop);
  stopButton.setAttribute('aria-label', texts.stopOf(input.name));
  stopButton.addEventListener('click', () => stop.abort());
  const underWay = element('div', { class: 'under-way' }, progress, stopButton);
  const show = (received: number) => {
    progress.value = received;
  };
  link.hidden = true;
  link.after(underWay);
  stopButton.focus();
  input.box.replaceChildren(); // clears the verdict on earlier bytes
  status.textContent = texts.onItsWay(input.name);
  const saved = await download(input, { show, signal: stop.signal }).catch(problem => toText(texts, problem));
  status.textContent = typeof saved === 'string' ? saved : texts.savedRight(input.name);
  const hadFocus = document.activeElement === stopButton;
  underWay.remove();
  link.hidden = false;
  if (hadFocus) link.focus();
  if (typeof saved !== 'string') status.textContent = texts.verdictOf(input.name, await verifyAndShow(input, saved));
}

const isPlain = ({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey;

for (const time of document.querySelectorAll('time'))
  time.textContent = new Date(time.dateTime).toLocaleString(language === 'en' ? 'en-GB' : 'zh-CN', {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
const links = [...document.querySelectorAll<HTMLAnchorElement>('a[data-hash]')].map(
  link => [link, toDownloadInput(link)] as const,
);
addViewButtons(links, language);
for (const [link, input] of links)
  link.addEventListener('click', event => {
    if (!isPlain(event)) return;
    if (!canSink(input.size)) {
      status.textContent = texts.checkAfter;
      return;
    }
    event.preventDefault();
    void begin(link, input);
  });
document.getElementById('check')?.append(
  checkSaved(
    texts,
    links.map(([, input]) => input),
    verifyAndShow,
  ),
);
