// One file in the list of a sender: its state and its actions.
import type { SentFile } from '@recordproof/shared/api/drop-senders.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { element } from '@recordproof/shared/browser/elements.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import type { DropSender } from '@recordproof/shared/transfer/drop-upload.ts';
import { toSize } from '../sizes.ts';
import { type DropWords, explain } from './drop-words.ts';
import { save } from './sinks.ts';

export type Row = {
  readonly element: HTMLElement;
  isDone(): boolean;
  receipt(): string | null;
  /** Returns false while it is being sent, and afterwards. */
  begin(again: () => void): boolean;
  run(send: (signal: AbortSignal) => Promise<SentFile>): Promise<void>;
  progress(bytes: number): void;
  show(sent: SentFile): void;
};

type RowOptions = {
  readonly name: string;
  readonly size: number;
  readonly texts: DropWords;
  readonly sender: () => DropSender | undefined;
};

export function openRow({ name, size, texts, sender }: RowOptions): Row {
  const shown = toShownName(name);
  const about = element('span', {}, toSize(size));
  const actions = element('div', { class: 'under-way' });
  const line = element('div', { class: 'file' }, element('strong', { dir: 'auto' }, shown), about);
  const item = element('li', {}, line, actions);
  let state: 'new' | 'going' | 'stopped' | 'done' = 'new';
  let sent: SentFile | undefined;
  let again: (() => void) | undefined;
  let abort: AbortController | undefined;

  const button = (text: string, label: string, press: () => unknown): HTMLElement => {
    const made = element('button', { type: 'button', class: 'plain', 'aria-label': label }, text);
    made.addEventListener('click', () => void press());
    return made;
  };
  const saveFrom = (fetchOne: (sender: DropSender, id: string) => Promise<Blob>, ending: string) => async () => {
    const [dropSender, file] = [sender(), sent];
    if (!dropSender || !file) return;
    try {
      save(await fetchOne(dropSender, file.id), `${file.fileName}${ending}`);
    } catch (error) {
      about.textContent = error instanceof ApiError && error.status === 409 ? texts.proofLater : explain(error, texts);
    }
  };
  const stopped = (text: string): void => {
    state = 'stopped';
    about.textContent = text;
    actions.replaceChildren(...(again ? [button(texts.again, texts.againOf(shown), again)] : []));
  };
  const show = (file: SentFile): void => {
    sent = file;
    if (file.state !== 'COMPLETED') {
      stopped(texts.goOn);
      return;
    }
    state = 'done';
    about.textContent = `${toSize(size)} · ${texts.recorded}`;
    actions.replaceChildren(
      button(
        texts.receipt,
        texts.receiptOf(shown),
        saveFrom((dropSender, id) => dropSender.receipt(id), '.receipt.json'),
      ),
      button(
        texts.proof,
        texts.proofOf(shown),
        saveFrom((dropSender, id) => dropSender.proof(id), '.proof.zip'),
      ),
    );
  };

  return {
    element: item,
    isDone: () => state === 'done',
    receipt: () => sent?.receipt ?? null,
    show,
    begin(repeat) {
      if (state === 'going' || state === 'done') return false;
      state = 'going';
      again = repeat;
      abort = new AbortController();
      about.textContent = texts.waiting;
      actions.replaceChildren(button(texts.stop, texts.stopOf(shown), () => abort?.abort()));
      return true;
    },
    progress(bytes) {
      about.textContent = bytes < size ? texts.sendingPart(toSize(bytes), toSize(size)) : texts.recording;
    },
    async run(send) {
      const { signal } = abort ?? new AbortController();
      try {
        signal.throwIfAborted();
        show(await send(signal));
      } catch (error) {
        stopped(signal.aborted ? texts.stopped : explain(error, texts));
      }
    },
  };
}
