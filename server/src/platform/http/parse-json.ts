// Strict JSON parsing: rejects input that parsers interpret differently, such as invalid UTF-8 and duplicate names.
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { parseStrictJson, StrictJsonError } from '@recordproof/shared/evidence/strict-json.ts';

/** Bodies are already bounded, so one string may take all of one; contracts limit single strings. */
const limits = { maxStringBytes: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

/** Clients send a content type even with an empty body. */
export function ignoreTypeOfNothing({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (headers['content-length'] === '0') delete headers['content-type'];
}

/** Undefined for an empty body, which clients may send with a JSON content type. Throws JSON_PARSE_ERROR. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return parseStrictJson(body, limits);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new ApiError('JSON_PARSE_ERROR', `the body is not valid JSON: ${error.message}`, { cause: error });
  }
}
