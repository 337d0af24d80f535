// Buttons on the page of a share that open the viewer.
import { element } from '@recordproof/shared/browser/elements.ts';
import { openPdfReader } from '@recordproof/shared/browser/pdf-reader.ts';
import type { ViewedFile } from '@recordproof/shared/browser/viewer/viewed-file.ts';
import { openViewer } from '@recordproof/shared/browser/viewer/viewer.ts';
import { shareWords } from '@recordproof/shared/words/share.ts';
import { viewerWords } from '@recordproof/shared/words/viewer.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { toSize } from '../sizes.ts';
import { Rejection, receive, type SharedFile, toText } from './receive.ts';

type Linked = SharedFile & { readonly name: string };
type Link = readonly [link: HTMLAnchorElement, file: Linked];

export function addViewButtons(links: readonly Link[], language: Language): void {
  const texts = viewerWords[language];
  for (const [at, [link, { name }]] of links.entries()) {
    const button = element('button', { type: 'button', class: 'plain', 'aria-label': texts.viewOf(name) }, texts.view);
    button.addEventListener('click', () => view(links, at, language));
    const presses = element('div', { class: 'presses' });
    link.replaceWith(presses);
    presses.append(button, link);
  }
}

function view(links: readonly Link[], start: number, language: Language): void {
  const texts = shareWords[language];
  const viewer = openViewer({
    start,
    language,
    toSize,
    count: links.length,
    find: async at => toViewed(links[at], language),
    openPdf: bytes => openPdfReader(new Worker('/assets/pdf-worker.js'), bytes),
    explain: problem => toText(texts, problem),
    download: at => {
      viewer.close();
      links[at]?.[0].click();
    },
    onClose: () => undefined,
  });
}

function toViewed(linked: Link | undefined, language: Language): ViewedFile | undefined {
  if (!linked) return undefined;
  const [link, file] = linked;
  const texts = shareWords[language];
  return {
    name: file.name,
    fileSize: file.size,
    contentType: link.dataset.type ?? '',
    openMedia: async () => ({ url: file.url }),
    read: async signal => {
      const blocks: Uint8Array<ArrayBuffer>[] = [];
      const write = async (block: Uint8Array<ArrayBuffer>) => void blocks.push(block);
      if (!(await receive(texts, file, { write, signal, show: () => undefined }))) throw new Rejection(texts.notShared);
      return new Uint8Array(await new Blob(blocks).arrayBuffer());
    },
  };
}
