// One HTTP request to a configured address, with limits for time and size. Follows no redirect.
const timeoutMs = 5000;
const maxAnswerBytes = 64 * 1024;

type Answer = { readonly status: number; readonly type: string; readonly body: Uint8Array };
type Outgoing = {
  readonly method: 'GET' | 'POST';
  readonly body?: Uint8Array;
  /** Additional headers; the default content type is text. Never part of an error. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** Rejects with one sentence, or with the reason of the signal. */
export async function exchange(url: string, { method, body, headers, signal }: Outgoing): Promise<Answer> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any([signal, late]),
      ...(body !== undefined && { body: Buffer.from(body) }),
      headers: { ...(body !== undefined && { 'content-type': 'text/plain' }), ...headers },
    });
    const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    return { status: response.status, type, body: await readBounded(response) };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new Error(`${url} did not answer within ${timeoutMs / 1000} s`, { cause: error });
    if (error instanceof TypeError) throw new Error(`${url} cannot be reached${codeOf(error)}`, { cause: error });
    throw error;
  }
}

const codeOf = ({ cause }: TypeError): string =>
  cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';

async function readBounded({ body }: Response): Promise<Uint8Array> {
  const blocks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early closes the connection.
  for await (const block of body ?? []) {
    size += block.length;
    if (size > maxAnswerBytes) throw new RangeError(`the answer has more than ${maxAnswerBytes} bytes`);
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}
