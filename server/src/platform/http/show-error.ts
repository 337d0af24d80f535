// Who asks: a person at a browser, who is shown a page, or a program, which gets the envelope.
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError } from '@recordproof/shared/api/errors.ts';

type Asked = { readonly acceptLanguage: string | undefined; readonly traceId: string };

/** What a person is shown, and the policy that it is under. */
export type ShowError = (error: ApiError, asked: Asked) => { readonly text: string; readonly policy: string };

/** A browser that opens an address names HTML before all else; scripts and programs do not, or name JSON too. */
export const isPerson = ({ accept = '' }: IncomingHttpHeaders): boolean =>
  accept.includes('text/html') && !accept.includes('application/json');
