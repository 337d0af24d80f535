// Bounded fetch: HTTP requests to a configured address, with limits for time and size. Follows no redirect.
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
export async function boundedFetch(url: string, { method, body, headers, signal }: Outgoing): Promise<Answer> {
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
    return { status: response.status, type, body: await readBounded(response, maxAnswerBytes, 'the answer') };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new Error(`${url} did not answer within ${timeoutMs / 1000} s`, { cause: error });
    if (error instanceof TypeError) throw new Error(`${url} cannot be reached${codeOf(error)}`, { cause: error });
    throw error;
  }
}

const codeOf = ({ cause }: TypeError): string =>
  cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';

/** `what`: the subject of the error sentence. */
export async function readBounded(
  { body }: Response,
  maxBytes: number,
  what: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const blocks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early closes the connection.
  for await (const block of body ?? []) {
    size += block.length;
    if (size > maxBytes) throw new RangeError(`${what} has more than ${maxBytes} bytes`);
    blocks.push(block);
  }
  return new Uint8Array(Buffer.concat(blocks));
}
