// The two ways to a report: the worker in this browser, or the service that served this page.
import { verifierWords } from '@recordproof/shared/words/verifier.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';
import { reportSchema, type VerificationReport } from '../../verify/report.ts';
import type { Chosen, FromWorker } from './messages.ts';

export type Progress = (stage: 'reading' | 'sending' | 'checking', percent?: number) => void;

/** Its message is for the person. */
export class CannotVerify extends Error {}

const say = verifierWords[toLanguage(document.documentElement.lang)];

/** In the saved page the worker's source stands in the page, because a page from a disk may load nothing. */
function openWorker(): Worker {
  const source = document.getElementById('worker-source')?.textContent;
  if (source === undefined) return new Worker('/assets/worker.js');
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return worker;
}

export function verifyHere(chosen: Chosen, progress: Progress, signal: AbortSignal): Promise<VerificationReport> {
  const worker = openWorker();
  const { promise, resolve, reject } = Promise.withResolvers<VerificationReport>();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === 'progress') progress('reading', (100 * data.read) / Math.max(data.size, 1));
    else if (data.kind === 'report') resolve(data.report);
    else reject(new CannotVerify(say.unable[data.why]));
  };
  worker.onerror = () => reject(new CannotVerify(say.unable.broken));
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  progress('reading', 0);
  worker.postMessage(chosen);
  return promise.finally(() => worker.terminate());
}

export function verifyThere(chosen: Chosen, progress: Progress, signal: AbortSignal): Promise<VerificationReport> {
  const form = new FormData();
  for (const [name, file] of Object.entries(chosen)) form.append(name, file, 'file');
  const { promise, resolve, reject } = Promise.withResolvers<VerificationReport>();
  const request = new XMLHttpRequest();
  request.upload.onprogress = ({ loaded, total }) =>
    loaded < total ? progress('sending', (100 * loaded) / total) : progress('checking');
  request.onerror = () => reject(new CannotVerify(say.unreachable));
  request.onload = () => {
    const answer = parseAnswer(request.responseText);
    if (answer?.schemaVersion === reportSchema) resolve(answer as VerificationReport);
    else reject(new CannotVerify(answer?.message ?? say.noReport));
  };
  signal.addEventListener('abort', () => {
    request.abort();
    reject(signal.reason);
  });
  request.open('POST', '/api/v1/verify');
  progress('sending', 0);
  request.send(form);
  return promise;
}

function parseAnswer(text: string): { schemaVersion?: string; message?: string } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
