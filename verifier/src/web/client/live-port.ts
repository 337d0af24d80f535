// External queries of the worker: its policy permits no connection, so the page queries on its behalf, over a message
// port. Queries are sequential, so answers need no number.
import type { LiveEvidence, Lookup } from '../../verify/live-evidence.ts';

/** The page names no ledger. */
type LiveQueries = Omit<LiveEvidence, 'readLedger'>;

type Question = {
  [Name in keyof LiveQueries]: { name: Name; given: Parameters<LiveQueries[Name]> };
}[keyof LiveQueries];

/** The worker's side. */
export function askThrough(port: MessagePort): LiveEvidence {
  const ask = <T>(question: Question): Promise<Lookup<T>> => {
    const { promise, resolve } = Promise.withResolvers<Lookup<T>>();
    port.onmessage = ({ data }: MessageEvent<Lookup<T>>) => resolve(data);
    port.postMessage(question);
    return promise;
  };
  return {
    findIssuerKey: (...given) => ask({ name: 'findIssuerKey', given }),
    findStatus: (...given) => ask({ name: 'findStatus', given }),
    findChainRoot: (...given) => ask({ name: 'findChainRoot', given }),
  };
}

/** The page's side. A failure cannot be sent over a port, and counts as no answer. */
export function answerThrough(port: MessagePort, live: LiveEvidence): void {
  port.onmessage = async ({ data }: MessageEvent<Question>) => {
    const none = { kind: 'unavailable', reason: 'UNAVAILABLE' } satisfies Lookup<never>;
    port.postMessage(await answer(live, data).catch(() => none));
  };
}

function answer(live: LiveEvidence, { name, given }: Question): Promise<Lookup<unknown>> {
  switch (name) {
    case 'findIssuerKey':
      return live.findIssuerKey(...given);
    case 'findStatus':
      return live.findStatus(...given);
    case 'findChainRoot':
      return live.findChainRoot(...given);
  }
}
