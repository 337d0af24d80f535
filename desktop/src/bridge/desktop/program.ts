// IPC client of the window: sends each request of the IPC table (ipc/table.ts) to the main process, checks the answers,
// and delivers what the main process pushes.
import { z } from 'zod';
import { fromSentFailure, sentFailure } from '../../ipc/failures.ts';
import { mapRequests, type Pushed, type PushName, pushes, type Requests } from '../../ipc/table.ts';
import type { Reply, Wire } from '../../ipc/wire.ts';

const reply: z.ZodType<Reply> = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), answer: z.unknown().optional() }),
  z.object({ ok: z.literal(false), failure: sentFailure }),
]);

/** Rejects with the reason of the signal as soon as it aborts, and cancels the request at the other end. */
async function send(wire: Wire, name: string, input: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  signal?.throwIfAborted();
  const call = crypto.randomUUID();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => {
    reject(signal?.reason);
    void wire.cancel(call).catch(() => undefined);
  };
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([wire.request({ call, name, input }), aborted]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

export const toRequests = (wire: Wire): Requests =>
  mapRequests((name, { answer }) => async (input, signal) => {
    const replied = reply.parse(await send(wire, name, input, signal));
    if (!replied.ok) throw fromSentFailure(replied.failure);
    return answer.parse(replied.answer);
  });

export function listen<N extends PushName>(wire: Wire, name: N, listener: (value: Pushed<N>) => void): () => void {
  return wire.onPush(message => {
    if (message.name !== name) return;
    const value = pushes[name].safeParse(message.value);
    if (value.success) listener(value.data as Pushed<N>);
  });
}
