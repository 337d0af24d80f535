// The worker of pages that render a report themselves.
import type { ForWorker, FromWorker } from './messages.ts';
import { verifyInWorker } from './verify-in-worker.ts';

globalThis.onmessage = async (event: MessageEvent<ForWorker>) => {
  const answer = await verifyInWorker(event.data).catch(() => ({ kind: 'unable', why: 'broken' }) as const);
  globalThis.postMessage(answer satisfies FromWorker);
};
