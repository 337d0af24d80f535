// The window's end of the table: asks by name, checks what comes back, and throws what was thrown on the other side.
import { z } from 'zod';
import { fromSentFailure, sentFailure } from '../../ipc/failures.ts';
import type { PushName, RequestName } from '../../ipc/names.ts';
import { type AnswerTo, type InputOf, type Pushed, pushes, requests } from '../../ipc/table.ts';
import type { Reply, Wire } from '../../ipc/wire.ts';

const reply: z.ZodType<Reply> = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), answer: z.unknown().optional() }),
  z.object({ ok: z.literal(false), failure: sentFailure }),
]);

export type Asker = {
  ask<N extends RequestName>(
    name: N,
    ...input: undefined extends InputOf<N> ? [] : [input: InputOf<N>]
  ): Promise<AnswerTo<N>>;
  /** One that a signal gives up on both sides. */
  askUntil<N extends 'server.call' | 'downloads.read' | 'downloads.readPicture'>(
    name: N,
    signal: AbortSignal | undefined,
    input: Omit<InputOf<N>, 'call'>,
  ): Promise<AnswerTo<N>>;
  hear<N extends PushName>(name: N, hear: (value: Pushed<N>) => void): () => void;
};

export function openAsker(wire: Wire): Asker {
  async function ask<N extends RequestName>(name: N, input?: unknown): Promise<AnswerTo<N>> {
    const answered = reply.parse(await wire.ask(name, input));
    if (!answered.ok) throw fromSentFailure(answered.failure);
    return requests[name].answer.parse(answered.answer) as AnswerTo<N>;
  }

  return {
    ask,
    async askUntil(name, signal, input) {
      signal?.throwIfAborted();
      const call = crypto.randomUUID();
      const { promise: givenUp, reject } = Promise.withResolvers<never>();
      const stop = () => {
        reject(signal?.reason);
        void ask('call.giveUp', { call }).catch(() => undefined);
      };
      signal?.addEventListener('abort', stop);
      try {
        return await Promise.race([ask(name, { ...input, call }), givenUp]);
      } finally {
        signal?.removeEventListener('abort', stop);
      }
    },
    hear(name, hear) {
      return wire.hear(name, given => {
        const value = pushes[name].safeParse(given);
        if (value.success) hear(value.data as Pushed<typeof name>);
      });
    },
  };
}
