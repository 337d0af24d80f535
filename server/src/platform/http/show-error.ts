// Who asks: a person at a browser, who is shown a page, or a program, which gets the envelope.
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import { toErrorEnvelope } from './answers.ts';
import { pageHeaders } from './page-headers.ts';

type Asked = { readonly acceptLanguage: string | undefined; readonly traceId: string };

/** What a person is shown, and the policy that it is under. */
export type ShowError = (error: ApiError, asked: Asked) => { readonly text: string; readonly policy: string };

/** What of a request tells who asks. */
type Wishes = Pick<IncomingHttpHeaders, 'accept' | 'accept-language'>;

/** A browser that opens an address names HTML before all else; scripts and programs do not, or name JSON too. */
const isPerson = ({ accept = '' }: Wishes): boolean =>
  accept.includes('text/html') && !accept.includes('application/json');

type Told = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** `showError` is null where there are no pages. */
export function tell(error: ApiError, wishes: Wishes, traceId: string, showError: ShowError | null): Told {
  if (showError === null || !isPerson(wishes))
    return { headers: { 'content-type': 'application/json; charset=utf-8' }, body: toErrorEnvelope(error) };
  const { text, policy } = showError(error, { acceptLanguage: wishes['accept-language'], traceId });
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy, ...pageHeaders };
  return { headers, body: text };
}

const longestHead = 32 * 1024;
const longestWish = 1024;

/** Of what the parser did not take: as far as the bytes at hand show them. All of it is a stranger's text. */
export function findWishes(bytes: unknown): Wishes {
  const text = Buffer.isBuffer(bytes) ? bytes.toString('latin1', 0, longestHead) : '';
  const [head = ''] = text.split('\r\n\r\n', 1);
  const lines = head.split('\r\n').map(line => line.split(/:[ \t]*/, 2));
  const read = (wanted: string) => lines.find(([name]) => name?.toLowerCase() === wanted)?.[1]?.slice(0, longestWish);
  return { accept: read('accept'), 'accept-language': read('accept-language') };
}
