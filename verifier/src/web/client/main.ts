// The script of the verifier page: file selection, start, progress, result. It contains no verification rules.

import { find } from '@recordproof/shared/browser/elements.ts';
import { verifierWords } from '@recordproof/shared/words/verifier.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';
import type { Chosen } from './messages.ts';
import { showReport } from './report-view.ts';
import { type Answer, CannotVerify, type Progress, verifyAsking, verifyHere, verifyThere } from './run.ts';
import { type Slot, sortFiles } from './sort-files.ts';

const texts = verifierWords[toLanguage(document.documentElement.lang)];
const single = ['original', 'proof', 'trustedKey'] as const;
const slots: readonly Slot[] = [...single, 'evidence'];
const inputs = new Map<Slot, HTMLInputElement>(slots.map(slot => [slot, find(slot, HTMLInputElement)]));
const form = find('form', HTMLFormElement);
const verifyButton = find('verify', HTMLButtonElement);
const cancelButton = find('cancel', HTMLButtonElement);
const working = find('working', HTMLElement);
const stageLabel = find('stage', HTMLElement);
const bar = find('progress', HTMLProgressElement);
const problemText = find('problem', HTMLElement);
const announcement = find('announce', HTMLElement);
const result = find('result', HTMLElement);
const ways = { browser: verifyHere, service: verifyThere, origin: verifyAsking } as const;
const { through = 'browser' } = document.documentElement.dataset;
const verify = ways[through as keyof typeof ways];

let running: AbortController | undefined;

/** Clears the verdict when the selection changes, because it applies to the previous files. */
function takeChoice(): void {
  running?.abort();
  result.hidden = true;
  result.replaceChildren();
  announcement.textContent = '';
  markFilled();
}

function markFilled(): void {
  for (const [slot, input] of inputs)
    document.querySelector(`[data-slot=${slot}]`)?.classList.toggle('filled', (input.files?.length ?? 0) > 0);
}

function put(slot: Slot, files: readonly File[]): void {
  const input = inputs.get(slot);
  if (input === undefined) return;
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  input.files = transfer.files;
}

const fileOf = (slot: Slot): File | undefined => inputs.get(slot)?.files?.[0] ?? undefined;

function readChosen(): Chosen | undefined {
  const [original, proof, trustedKey] = single.map(fileOf);
  const evidence = [...(inputs.get('evidence')?.files ?? [])];
  if (original === undefined || proof === undefined) return undefined;
  return { original, proof, ...(trustedKey === undefined ? {} : { trustedKey }), evidence };
}

function showProblem(text: string): void {
  problemText.textContent = text;
  problemText.hidden = text === '';
}

const showProgress: Progress = (stage, percent) => {
  const stageText = texts.stages[stage];
  stageLabel.textContent = percent === undefined ? stageText : texts.progress(stageText, Math.floor(percent));
  if (percent === undefined) bar.removeAttribute('value');
  else bar.value = percent;
};

function setWorking(isWorking: boolean): void {
  const hadFocus = document.activeElement === (isWorking ? verifyButton : cancelButton);
  verifyButton.disabled = isWorking;
  cancelButton.hidden = !isWorking;
  // A hidden or disabled button cannot keep the focus, and it must not return to the top of the page.
  if (hadFocus) (isWorking ? cancelButton : verifyButton).focus();
  working.hidden = !isWorking;
  form.setAttribute('aria-busy', String(isWorking));
}

function present(answer: Answer, { original, proof }: Chosen): void {
  showReport(result, answer, { original: original.name, proof: proof.name });
  announcement.textContent = texts.result(answer.report.outcome);
  const heading = document.getElementById('verdict');
  result.scrollIntoView({ block: 'start' });
  heading?.focus({ preventScroll: true });
}

async function start(): Promise<void> {
  const chosen = readChosen();
  if (chosen === undefined || running !== undefined) return;
  running = new AbortController();
  result.hidden = true;
  showProblem('');
  announcement.textContent = texts.checking;
  setWorking(true);
  try {
    present(await verify(chosen, showProgress, running.signal), chosen);
  } catch (problem) {
    announcement.textContent = '';
    if (running.signal.aborted) return;
    showProblem(problem instanceof CannotVerify ? problem.message : texts.unable.broken);
  } finally {
    running = undefined;
    setWorking(false);
  }
}

async function takeDropped(files: readonly File[], target: EventTarget | null): Promise<void> {
  const [only] = files;
  const slot = target instanceof Element ? target.closest<HTMLElement>('[data-slot]')?.dataset.slot : undefined;
  const aimed = slots.find(candidate => candidate === slot);
  // One file dropped on a slot is meant for it, whatever its content.
  if (files.length === 1 && only !== undefined && aimed !== undefined) put(aimed, [only]);
  else {
    const { sorted, leftOver } = await sortFiles(files, slots);
    for (const [slot, some] of sorted) put(slot, some);
    showProblem(leftOver === 0 ? '' : texts.tooMany);
  }
  takeChoice();
}

form.addEventListener('submit', event => {
  event.preventDefault();
  void start();
});
cancelButton.addEventListener('click', () => running?.abort());
for (const input of inputs.values()) input.addEventListener('change', takeChoice);

addEventListener('dragover', event => {
  event.preventDefault();
  document.body.classList.add('dragging');
});
addEventListener('dragleave', event => {
  if (event.relatedTarget === null) document.body.classList.remove('dragging');
});
addEventListener('drop', event => {
  event.preventDefault();
  document.body.classList.remove('dragging');
  if (running === undefined) void takeDropped([...(event.dataTransfer?.files ?? [])], event.target);
});

// On paper nothing can be expanded.
let closedBeforePrint: HTMLDetailsElement[] = [];
addEventListener('beforeprint', () => {
  closedBeforePrint = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open])')];
  for (const details of closedBeforePrint) details.open = true;
});
addEventListener('afterprint', () => {
  for (const details of closedBeforePrint) details.open = false;
});
markFilled();
