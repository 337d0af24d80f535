// JSON as it comes in: what two readers could take for two things is refused, as invalid UTF-8 and names that stand twice.
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { parseStrictJson, StrictJsonError } from '@recordproof/shared/evidence/strict-json.ts';

/** Bodies are bounded before; one text may then take all of one, and what is too long is told by its contract. */
const limits = { maxStringBytes: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

/** Clients announce a type where they send no body: a form, or JSON where the endpoint reads forms. */
export function ignoreTypeOfNothing({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (headers['content-length'] === '0') delete headers['content-type'];
}

/** Undefined for an empty body: clients announce JSON where they send none. Throws JSON_PARSE_ERROR. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return parseStrictJson(body, limits);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new ApiError('JSON_PARSE_ERROR', `the body is not valid JSON: ${error.message}`, { cause: error });
  }
}
