// Says of a file that is on this machine already whether it is one of those that are shared. Nothing is sent.
import { sha256 } from '@noble/hashes/sha2.js';
import { element } from '@recordproof/shared/browser/elements.ts';
import type { ShareWords } from '@recordproof/shared/words/share.ts';
import { hashNameOf } from './hash-name.ts';

type Known = { readonly name: string; readonly hash: string };

/** A choice of a file, with what came of it beside. */
export function checkSaved(say: ShareWords, known: readonly Known[]): HTMLElement {
  const input = element('input', { type: 'file', id: 'saved' });
  const verdict = element('p', { class: 'said', role: 'status', 'aria-live': 'polite' });
  const progress = element('progress', { 'aria-label': say.checking });
  progress.hidden = true;
  input.addEventListener('change', async () => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    input.disabled = true;
    progress.hidden = false;
    progress.max = file.size;
    verdict.textContent = say.checking;
    verdict.textContent = await judge(file, known, say, done => {
      progress.value = done;
    }).catch(() => say.unreadable(file.name));
    progress.hidden = true;
    input.disabled = false;
    input.value = '';
  });
  const label = element('label', { for: 'saved' }, say.checkSaved);
  return element('div', { class: 'check-saved' }, label, input, progress, verdict);
}

async function judge(file: File, known: readonly Known[], say: ShareWords, show: (done: number) => void) {
  const digest = sha256.create();
  let done = 0;
  const reader = file.stream().getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    digest.update(next.value);
    done += next.value.length;
    show(done);
  }
  const hash = hashNameOf(digest.digest());
  const same = known.find(one => one.hash === hash);
  return same === undefined ? say.isNone(file.name) : say.isOne(file.name, same.name);
}
