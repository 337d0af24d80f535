// Verification in a worker of this page, with the engine of the verifier's page. The page makes the worker's requests, since
// the worker can connect to nothing.
import type { Client } from '@recordproof/shared/api/client.ts';
import type { ForWorker, FromWorker } from '@recordproof/verifier/web/client/messages.ts';
import type { Bridge } from '../bridge.ts';
import { CannotVerify } from '../cannot-verify.ts';
import { openWorker } from './workers.ts';

/** `isOrigin`: the server of the page is the one that is asked, and its ledger can be read. */
export function openVerify(call: Client['call'], { isOrigin = false } = {}): Bridge['verify'] {
  return async ({ original, proof, trustedKey, evidence, language, asksServer, onProgress, signal }) => {
    const port = asksServer ? await (isOrigin ? openOrigin(signal) : openLive(call, signal)) : undefined;
    signal?.throwIfAborted();
    const worker = openWorker('verify-worker');
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Bridge['verify']>>>();
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === 'progress') onProgress?.(data.read, data.size);
      else if (data.kind === 'report') resolve(data);
      else reject(new CannotVerify(data.why));
    };
    worker.onerror = () => reject(new CannotVerify('broken'));
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    const request: ForWorker = {
      ...{ original, proof, language },
      ...(evidence && { evidence }),
      ...(trustedKey && { trustedKey }),
      ...(port && (isOrigin ? { origin: port } : { live: port })),
    };
    worker.postMessage(request, port ? [port] : []);
    return promise.finally(() => worker.terminate());
  };
}

async function openOrigin(signal: AbortSignal | undefined): Promise<MessagePort> {
  const { openOriginPort } = await import('@recordproof/verifier/web/client/origin-port.ts');
  return openOriginPort(signal);
}

/** Loaded on first use: most visits verify nothing. */
async function openLive(call: Client['call'], signal: AbortSignal | undefined): Promise<MessagePort> {
  const [{ answerThrough }, { askServer }] = await Promise.all([
    import('@recordproof/verifier/web/client/live-port.ts'),
    import('../ask-server.ts'),
  ]);
  const { port1, port2 } = new MessageChannel();
  answerThrough(port1, askServer({ call, signal }));
  return port2;
}
