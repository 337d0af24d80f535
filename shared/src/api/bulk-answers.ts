// Bulk responses: many answers in one body, in the order of the request. Each is a line of JSON, followed by the stated
// number of bytes if it says SENT. It reveals nothing about things the caller may not have.
import { z } from 'zod';
import { ApiError, findErrorKind } from './errors.ts';

/** The maximum number per request. */
export const mostBulkAnswers = 500;

export const bulkAnswerText =
  'The answer holds, in the order of what was asked for, a line of JSON for each: {"status":"SENT","size"} with so many bytes ' +
  'right behind the line feed, or {"status":"REFUSED","code","message"} with what the answer for that one alone would say.';

const bulkHead = z.discriminatedUnion('status', [
  z.object({ status: z.literal('SENT'), size: z.int().min(0) }),
  z.object({
    status: z.literal('REFUSED'),
    code: z.int(),
    message: z.string(),
    detail: z.record(z.string(), z.unknown()).optional(),
    retryAfterSeconds: z.int().min(0).optional(),
  }),
]);

export type BulkAnswer = Uint8Array | ApiError;

const encoder = new TextEncoder();
const maxHeadBytes = 16 * 1024;
const lineFeed = 0x0a;

const toLine = (head: z.input<typeof bulkHead>): Uint8Array => encoder.encode(`${JSON.stringify(head)}\n`);

export function toFrame(answer: BulkAnswer): readonly Uint8Array[] {
  if (!(answer instanceof ApiError)) return [toLine({ status: 'SENT', size: answer.length }), answer];
  const { code, message, detail, retryAfterSeconds } = answer;
  return [toLine({ status: 'REFUSED', code, message, detail, retryAfterSeconds })];
}

/** Buffers incoming blocks and returns pieces of a given length. */
class Incoming {
  readonly #blocks: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array();

  constructor(blocks: AsyncIterable<Uint8Array>) {
    this.#blocks = blocks[Symbol.asyncIterator]();
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#blocks.next();
    if (done) return false;
    this.#held = value;
    return true;
  }

  /** Undefined at the end. */
  async line(): Promise<Uint8Array | undefined> {
    const pieces: Uint8Array[] = [];
    for (let bytes = 0; bytes <= maxHeadBytes; ) {
      if (this.#held.length === 0 && !(await this.#more())) return undefined;
      const at = this.#held.indexOf(lineFeed);
      const end = at < 0 ? this.#held.length : at;
      pieces.push(this.#held.slice(0, end));
      this.#held = this.#held.subarray(at < 0 ? end : end + 1);
      bytes += end;
      if (at >= 0) return join(pieces, bytes);
    }
    throw new RangeError('a line of the answer is too long');
  }

  async take(size: number): Promise<Uint8Array> {
    const taken = new Uint8Array(size);
    for (let filled = 0; filled < size; ) {
      if (this.#held.length === 0 && !(await this.#more())) throw new RangeError('the answer ends too early');
      const piece = this.#held.subarray(0, size - filled);
      taken.set(piece, filled);
      filled += piece.length;
      this.#held = this.#held.subarray(piece.length);
    }
    return taken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#blocks.return?.();
  }
}

function join(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Throws RangeError, SyntaxError or ZodError on a malformed body, and the errors of the stream. */
export async function* readFrames(
  blocks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<BulkAnswer, void, void> {
  await using incoming = new Incoming(blocks);
  for (;;) {
    const line = await incoming.line();
    if (line === undefined) return;
    const head = bulkHead.parse(JSON.parse(new TextDecoder().decode(line)));
    if (head.status === 'SENT') {
      if (head.size > maxBytes) throw new RangeError('the answer is larger than what was asked for');
      yield await incoming.take(head.size);
    } else {
      const { code, message, detail, retryAfterSeconds } = head;
      const more = { ...(detail && { detail }), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
      yield new ApiError(findErrorKind(code) ?? 'INTERNAL', message, more);
    }
  }
}
