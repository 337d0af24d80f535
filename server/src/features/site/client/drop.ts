// Script of the drop-link page: enters the link, sends three files at a time, resumes after failures, and saves
// receipts. The sender's token is stored in this browser, so that the page can be closed and opened again.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { SentFile } from '@recordproof/shared/api/drop-senders.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { find } from '@recordproof/shared/browser/elements.ts';
import { type DropSender, enterDrop, openDropSender } from '@recordproof/shared/transfer/drop-upload.ts';
import { dropWords } from '@recordproof/shared/words/drop.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';
import { listDropped, type Picked, toPicked } from './drop-entries.ts';
import { openRow, type Row } from './drop-row.ts';
import { explain } from './drop-words.ts';
import { save } from './sinks.ts';

const texts = dropWords[toLanguage(document.documentElement.lang)];
const content = find('content', HTMLElement);
const code = content.dataset.code ?? '';
const ports = { baseUrl: location.origin, code, fetch: (url: string, init: RequestInit) => fetch(url, init) };
const remembered = `recordproof-drop:${code}`;
const atOnce = 3;

const problem = find('problem', HTMLElement);
const rows = new Map<string, Row>();
const waiting: (() => Promise<void>)[] = [];
let running = 0;
let sender: DropSender | undefined;

const remember = (token: string): void => {
  try {
    localStorage.setItem(remembered, token);
  } catch {
    // without storage, sending still works
  }
};

const recall = (): string | null => {
  try {
    return localStorage.getItem(remembered);
  } catch {
    return null;
  }
};

const form = document.getElementById('enter');
const choice = document.getElementById('choice');

async function enter(): Promise<DropSender> {
  const inputs = [...document.querySelectorAll<HTMLInputElement>('#enter input[data-label]')];
  const fields = Object.fromEntries(inputs.map(input => [input.dataset.label ?? '', input.value.trim()]));
  const password = document.querySelector<HTMLInputElement>('#password')?.value;
  const token = await enterDrop(ports, { fields, ...(password !== undefined && { password }) });
  remember(token);
  return openDropSender(ports, token);
}

function showChoice(): void {
  if (form) form.hidden = true;
  if (choice) choice.hidden = false;
}

/** The first invalid input. */
function findWrong(): string | undefined {
  for (const input of document.querySelectorAll<HTMLInputElement>('#enter input')) {
    const isBad = !input.checkValidity();
    if (isBad) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
    if (!isBad) continue;
    input.focus();
    const label = input.dataset.label ?? texts.password;
    return input.validity.typeMismatch ? texts.noMail(label) : texts.missing(label);
  }
  return undefined;
}

form?.addEventListener('submit', async event => {
  event.preventDefault();
  const wrong = findWrong();
  problem.textContent = wrong ?? '';
  if (wrong !== undefined) return;
  try {
    sender = await enter();
    showChoice();
    find('choose', HTMLInputElement).focus();
  } catch (error) {
    problem.textContent = explain(error, texts);
  }
});

function showTotals(): void {
  const all = [...rows.values()];
  const done = all.filter(row => row.isDone()).length;
  find('sent', HTMLElement).hidden = all.length === 0;
  find('receipts', HTMLElement).hidden = done === 0;
  find('status', HTMLElement).textContent = all.length === 0 ? '' : texts.ready(done, all.length);
}

function rowOf(key: string, name: string, size: number): Row {
  const existing = rows.get(key);
  if (existing) return existing;
  const row = openRow({ name, size, texts, sender: () => sender });
  rows.set(key, row);
  find('files', HTMLElement).prepend(row.element);
  return row;
}

function run(): void {
  while (running < atOnce && waiting.length > 0) {
    running += 1;
    void waiting
      .shift()?.()
      .finally(() => {
        running -= 1;
        showTotals();
        run();
      });
  }
}

const keyOf = ({ file, path }: Picked): string =>
  bytesToHex(sha256(new TextEncoder().encode([path ?? '', file.name, file.size, file.lastModified].join('\0'))));

function queue(picked: Picked): void {
  const { file, path } = picked;
  const key = keyOf(picked);
  const row = rowOf(key, path === undefined ? file.name : `${path}/${file.name}`, file.size);
  if (!row.begin(() => queue(picked))) return;
  waiting.push(() =>
    row.run(signal => {
      const name = file.name.normalize('NFC');
      const whole = { key, name, path: path?.normalize('NFC'), type: file.type, blob: file };
      return mustEnter().then(entered => entered.send(whole, { signal, onProgress: row.progress }));
    }),
  );
}

let entering: Promise<DropSender> | undefined;

async function mustEnter(): Promise<DropSender> {
  if (sender) return sender;
  entering ??= enter().finally(() => {
    entering = undefined;
  });
  sender = await entering;
  return sender;
}

function take(picked: readonly Picked[]): void {
  problem.textContent = '';
  for (const one of picked) queue(one);
  showTotals();
  run();
}

for (const id of ['choose', 'folder', 'photo']) {
  const input = document.getElementById(id);
  if (!(input instanceof HTMLInputElement)) continue;
  input.addEventListener('change', () => {
    take([...(input.files ?? [])].map(toPicked));
    input.value = '';
  });
}

choice?.addEventListener('dragover', event => {
  event.preventDefault();
  choice.classList.add('over');
});
choice?.addEventListener('dragleave', () => choice.classList.remove('over'));
choice?.addEventListener('drop', async event => {
  event.preventDefault();
  choice.classList.remove('over');
  if (event.dataTransfer) take(await listDropped(event.dataTransfer));
});

let issuer: { readonly kid: string; readonly keyVersion: number } | undefined;

find('key', HTMLButtonElement).addEventListener('click', async () => {
  const receipt = [...rows.values()].map(row => row.receipt()).find(one => one !== null);
  issuer ??= receipt ? JSON.parse(atob(receipt.split('.')[0]?.replace(/-/g, '+').replace(/_/g, '/') ?? '')) : undefined;
  if (!issuer) return;
  const answer = await fetch(
    `/api/v1/public/proof-keys/${encodeURIComponent(issuer.kid)}/versions/${issuer.keyVersion}`,
  );
  if (!answer.ok) problem.textContent = texts.broken;
  else save(new Blob([JSON.stringify(((await answer.json()) as { data: unknown }).data, null, 2)]), 'issuer-key.json');
});

function showSent(sent: readonly SentFile[]): void {
  for (const file of sent.toReversed())
    rowOf(file.key, file.path === null ? file.fileName : `${file.path}/${file.fileName}`, file.fileSize).show(file);
  showTotals();
}

async function comeBack(token: string): Promise<void> {
  const restored = openDropSender(ports, token);
  try {
    showSent(await restored.list());
    sender = restored;
    showChoice();
  } catch (error) {
    if (!(error instanceof ApiError)) problem.textContent = texts.broken;
  }
}

window.addEventListener('beforeunload', event => {
  if (running > 0) event.preventDefault();
});

const token = recall();
if (token !== null) void comeBack(token);
