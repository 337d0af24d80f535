// Checking locally whether a saved file is one of the shared files. Nothing is sent.
import { sha256 } from '@noble/hashes/sha2.js';
import { element } from '@recordproof/shared/browser/elements.ts';
import { toDigest } from '@recordproof/shared/evidence/digest.ts';
import type { ShareWords } from '@recordproof/shared/words/share.ts';

type Known = { readonly name: string; readonly hash: string };

/** Shows the result for a file that is one of the shared ones. */
type Show<T extends Known> = (same: T, file: File) => Promise<unknown>;

/** A file input with its result. */
export function checkSaved<T extends Known>(texts: ShareWords, knownFiles: readonly T[], found: Show<T>): HTMLElement {
  const input = element('input', { type: 'file', id: 'saved' });
  const verdict = element('p', { class: 'said', role: 'status', 'aria-live': 'polite' });
  const progress = element('progress', { 'aria-label': texts.checking });
  progress.hidden = true;
  input.addEventListener('change', async () => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    input.disabled = true;
    progress.hidden = false;
    progress.max = file.size;
    verdict.textContent = texts.checking;
    const show = (done: number) => {
      progress.value = done;
    };
    const same = await findSame(file, knownFiles, show).catch(() => null);
    verdict.textContent = toText(file, same, texts);
    if (same) await found(same, file);
    progress.hidden = true;
    input.disabled = false;
    input.value = '';
  });
  const label = element('label', { for: 'saved' }, texts.checkSaved);
  return element('div', { class: 'check-saved' }, label, input, progress, verdict);
}

function toText({ name }: File, same: Known | undefined | null, texts: ShareWords): string {
  if (same === null) return texts.unreadable(name);
  return same === undefined ? texts.isNone(name) : texts.isOne(name, same.name);
}

/** Returns undefined if it is none of them. */
async function findSame<T extends Known>(
  file: File,
  knownFiles: readonly T[],
  show: (done: number) => void,
): Promise<T | undefined> {
  const digest = sha256.create();
  let done = 0;
  const reader = file.stream().getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    digest.update(next.value);
    done += next.value.length;
    show(done);
  }
  const hash = toDigest(digest.digest());
  return knownFiles.find(one => one.hash === hash);
}
