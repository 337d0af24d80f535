// Server side of the IPC table: checks the input of a request, runs its handler, and checks the answer.
import { z } from 'zod';
import { toSentFailure } from './failures.ts';
import { type AnyCall, mapRequests, nameRequests, type Requests } from './table.ts';
import type { Reply } from './wire.ts';

const message = z.object({ call: z.string().min(1).max(64), name: z.string(), input: z.unknown().optional() });

/** Only names of the table. */
function toRunners(handlers: Requests): ReadonlyMap<string, AnyCall> {
  const named = nameRequests(handlers);
  const checked = mapRequests((name, { input, answer }) => async (received, signal) => {
    const parsed = input.safeParse(received);
    if (!parsed.success) throw new Error(`internal: the input of the call "${name}" is malformed`);
    return answer.parse(await named.get(name)?.(parsed.data, signal));
  });
  return nameRequests(checked);
}

type RequestServer = {
  /** Rejects only where the message is malformed or names no request. */
  request(message: unknown): Promise<Reply>;
  cancel(call: unknown): void;
};

export function openRequestServer(handlers: Requests): RequestServer {
  const runners = toRunners(handlers);
  const running = new Map<string, AbortController>();
  return {
    async request(received) {
      const { call, name, input } = message.parse(received);
      const run = runners.get(name);
      if (!run) throw new Error(`internal: unknown request "${name}"`);
      const controller = new AbortController();
      running.set(call, controller);
      try {
        return { ok: true, answer: await run(input, controller.signal) };
      } catch (error) {
        return { ok: false, failure: toSentFailure(error) };
      } finally {
        running.delete(call);
      }
    },
    cancel: call => running.get(String(call))?.abort(),
  };
}
