// The engine in a worker of this page: the same that checks proofs on the verifier's page.
import type { Chosen, FromWorker } from '@recordproof/verifier/web/client/messages.ts';
import type { Bridge } from '../bridge.ts';
import { CannotVerify } from '../cannot-verify.ts';

type ScriptUrls = { createScriptURL(url: string): string };
type PolicyFactory = { createPolicy(name: string, rules: ScriptUrls): ScriptUrls };

const workerUrl = (): string => document.querySelector('meta[name=verify-worker]')?.getAttribute('content') ?? '';

/** Browsers that ask for it start a worker only at an address that this one function has let through. */
function openWorker(): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  const rules: ScriptUrls = { createScriptURL: () => workerUrl() };
  policy ??= trustedTypes?.createPolicy('recordproof', rules) ?? rules;
  return new Worker(policy.createScriptURL(''), { type: 'module' });
}
let policy: ScriptUrls | undefined;

export const verifyInWorker: Bridge['verify'] = async ({ original, proof, trustedKey, onProgress, signal }) => {
  signal?.throwIfAborted();
  const worker = openWorker();
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Bridge['verify']>>>();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === 'progress') onProgress?.(data.read, data.size);
    else if (data.kind === 'report') resolve(data.report);
    else reject(new CannotVerify(data.why));
  };
  worker.onerror = () => reject(new CannotVerify('broken'));
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  worker.postMessage({ original, proof, ...(trustedKey && { trustedKey }) } satisfies Chosen);
  return promise.finally(() => worker.terminate());
};
