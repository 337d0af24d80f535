// Verification in the browser's worker, or by the service of this page.
import { jsonOrNone } from '@recordproof/shared/json-or-none.ts';
import { verifierWords } from '@recordproof/shared/words/verifier.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';
import { reportSchema, type VerificationReport } from '../../verify/report.ts';
import { fromBase85 } from '../base85.ts';
import type { AnsweredExistence, Chosen, ForWorker, FromWorker } from './messages.ts';
import { openOriginPort } from './origin-port.ts';
import { evidenceHead, readHead } from './sort-files.ts';

export type Progress = (stage: 'reading' | 'sending' | 'checking', percent?: number) => void;

/** An error whose message is shown to the user. */
export class CannotVerify extends Error {}

const language = toLanguage(document.documentElement.lang);
const texts = verifierWords[language];

/** In the saved page the worker's source is embedded, compressed, because a page from a file may load nothing. */
async function openWorker(): Promise<Worker> {
  const source = document.getElementById('worker-source')?.textContent;
  if (source === undefined) return new Worker('/assets/worker.js');
  const packed = new Blob([fromBase85(source)]);
  const text = await new Response(packed.stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
  const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return worker;
}

export type Answer = {
  readonly report: VerificationReport;
  readonly existence?: AnsweredExistence;
  /** Why this browser cannot answer since when the file existed. */
  readonly unanswered?: string;
};

export const verifyHere: Verify = (chosen, progress, signal) => verifyInWorker(chosen, progress, signal);

/** The same, with external queries sent to the server of this page. */
export const verifyAsking: Verify = (chosen, progress, signal) =>
  verifyInWorker(chosen, progress, signal, openOriginPort(signal));

type Verify = (chosen: Chosen, progress: Progress, signal: AbortSignal) => Promise<Answer>;

async function verifyInWorker(
  chosen: Chosen,
  progress: Progress,
  signal: AbortSignal,
  origin?: MessagePort,
): Promise<Answer> {
  const worker = await openWorker();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === 'progress') progress('reading', (100 * data.read) / Math.max(data.size, 1));
    else if (data.kind === 'report') resolve(data);
    else reject(new CannotVerify(texts.unable[data.why]));
  };
  worker.onerror = () => reject(new CannotVerify(texts.unable.broken));
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  signal.throwIfAborted();
  progress('reading', 0);
  const request: ForWorker = { ...chosen, language, ...(origin && { origin }) };
  worker.postMessage(request, origin ? [origin] : []);
  return promise.finally(() => worker.terminate());
}

/** The service verifies only the proof: vouchers are not sent, and are checked here. */
export async function verifyThere(chosen: Chosen, progress: Progress, signal: AbortSignal): Promise<Answer> {
  const { evidence = [], ...sent } = chosen;
  const answer = await send(sent, progress, signal);
  if (evidence.length === 0 && !evidenceHead.test(await readHead(chosen.proof))) return answer;
  try {
    const { existence } = await verifyHere(chosen, progress, signal);
    return existence === undefined ? answer : { ...answer, existence };
  } catch (problem) {
    if (signal.aborted) throw problem;
    return { ...answer, unanswered: problem instanceof CannotVerify ? problem.message : texts.unable.broken };
  }
}

function send(chosen: Omit<Chosen, 'evidence'>, progress: Progress, signal: AbortSignal): Promise<Answer> {
  const form = new FormData();
  for (const [name, file] of Object.entries(chosen)) form.append(name, file, 'file');
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = new XMLHttpRequest();
  request.upload.onprogress = ({ loaded, total }) =>
    loaded < total ? progress('sending', (100 * loaded) / total) : progress('checking');
  request.onerror = () => reject(new CannotVerify(texts.unreachable));
  request.onload = () => {
    const answer = jsonOrNone(request.responseText) as { schemaVersion?: string; message?: string } | undefined;
    if (answer?.schemaVersion === reportSchema) resolve({ report: answer as VerificationReport });
    else reject(new CannotVerify(answer?.message ?? texts.noReport));
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
