// HTTP requests to a provider, bounded in time and size, without redirects.
import type { CustomFetch } from 'openid-client';

const timeoutMs = 10_000;
const maxAnswerBytes = 512 * 1024;

/** `timeoutMs` limits the whole exchange, including the body. */
export const openBoundedFetch =
  (limits: { readonly timeoutMs: number } = { timeoutMs }): CustomFetch =>
  async (url, { signal, body, ...options }) => {
    const late = AbortSignal.timeout(limits.timeoutMs);
    const response = await fetch(url, {
      ...options,
      ...(body !== undefined && body !== null && { body: body as BodyInit }),
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    const { status, headers } = response;
    const bytes = await readBounded(response);
    return new Response(isBodiless(status) ? null : bytes, { status, headers: withoutEncoding(headers) });
  };

const isBodiless = (status: number): boolean => status === 204 || status === 304;

/** The body is decoded already. */
function withoutEncoding(received: Headers): Headers {
  const headers = new Headers(received);
  headers.delete('content-encoding');
  headers.delete('content-length');
  return headers;
}

async function readBounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const blocks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early closes the connection.
  for await (const block of body ?? []) {
    size += block.length;
    if (size > maxAnswerBytes)
      throw new RangeError(`the response of the provider has more than ${maxAnswerBytes} bytes`);
    blocks.push(block);
  }
  return new Uint8Array(Buffer.concat(blocks));
}
