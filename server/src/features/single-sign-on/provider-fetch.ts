// Bounded fetch of the OpenID client: limits for time and size, no redirects.
import type { CustomFetch } from 'openid-client';
import { readBounded } from '../../platform/http/bounded-fetch.ts';

/** Of the whole exchange, including the body. */
const timeoutMs = 10_000;
const maxAnswerBytes = 512 * 1024;

export const providerFetch: CustomFetch = async (url, { signal, body, ...options }) => {
  const late = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, {
    ...options,
    ...(body !== undefined && body !== null && { body: body as BodyInit }),
    redirect: 'manual',
    signal: signal ? AbortSignal.any([signal, late]) : late,
  });
  const { status, headers } = response;
  const bytes = await readBounded(response, maxAnswerBytes, 'the response of the provider');
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
