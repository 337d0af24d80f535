// Form of an error response: a page for a person in a browser, the envelope for a program.
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import { toErrorEnvelope } from './answers.ts';
import { pageHeaders } from './page-headers.ts';

type ErrorContext = { readonly acceptLanguage: string | undefined; readonly traceId: string };

/** The page, and its content security policy. */
export type ShowError = (error: ApiError, context: ErrorContext) => { readonly text: string; readonly policy: string };

/** The headers that distinguish persons from programs. */
type AcceptHeaders = Pick<IncomingHttpHeaders, 'accept' | 'accept-language'>;

/** Browsers accept HTML but not JSON when they open a page. */
const isPerson = ({ accept = '' }: AcceptHeaders): boolean =>
  accept.includes('text/html') && !accept.includes('application/json');

type ErrorPage = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** `showError` is null if there are no pages. */
export function renderError(
  error: ApiError,
  acceptHeaders: AcceptHeaders,
  traceId: string,
  showError: ShowError | null,
): ErrorPage {
  if (showError === null || !isPerson(acceptHeaders))
    return { headers: { 'content-type': 'application/json; charset=utf-8' }, body: toErrorEnvelope(error) };
  const { text, policy } = showError(error, { acceptLanguage: acceptHeaders['accept-language'], traceId });
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy, ...pageHeaders };
  return { headers, body: text };
}

const longestHead = 32 * 1024;
const maxHeaderLength = 1024;

/** For a request that the parser rejected: reads the headers from the bytes at hand, which are attacker-controlled. */
export function readAcceptHeaders(bytes: unknown): AcceptHeaders {
  const text = Buffer.isBuffer(bytes) ? bytes.toString('latin1', 0, longestHead) : '';
  const [head = ''] = text.split('\r\n\r\n', 1);
  const lines = head.split('\r\n').map(line => line.split(/:[ \t]*/, 2));
  const read = (headerName: string) =>
    lines.find(([name]) => name?.toLowerCase() === headerName)?.[1]?.slice(0, maxHeaderLength);
  return { accept: read('accept'), 'accept-language': read('accept-language') };
}
