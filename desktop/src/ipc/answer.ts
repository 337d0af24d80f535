// The program's end of the table: checks what comes, runs what stands for it, and answers with what may leave.
import { TransportError } from '@recordproof/shared/api/client.ts';
import { toSentFailure } from './failures.ts';
import type { RequestName } from './names.ts';
import { type AnswerTo, type Handlers, type InputOf, requests } from './table.ts';
import type { Reply } from './wire.ts';

async function run<N extends RequestName>(handlers: Handlers, name: N, given: unknown): Promise<AnswerTo<N>> {
  const { input, answer } = requests[name];
  const parsed = input.safeParse(given);
  if (!parsed.success) throw new TransportError('not-recordproof', `${name}: what the window asks for is malformed`);
  const made = await handlers[name](parsed.data as InputOf<N>);
  return answer.parse(made) as AnswerTo<N>;
}

export async function answerRequest(handlers: Handlers, name: RequestName, input: unknown): Promise<Reply> {
  try {
    return { ok: true, answer: await run(handlers, name, input) };
  } catch (error) {
    return { ok: false, failure: toSentFailure(error) };
  }
}
