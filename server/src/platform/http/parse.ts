// Input validation: strict JSON, and the contract's schema with the error code of the broken rule. Also rejects text that
// PostgreSQL cannot store (NUL) or that would be returned altered (unpaired surrogates).

import type { IncomingMessage } from 'node:http';
import { ApiError, type ErrorKind, errorTable } from '@recordproof/shared/api/errors.ts';
import { parseStrictJson, StrictJsonError } from '@recordproof/shared/evidence/strict-json.ts';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Where = 'path' | 'query' | 'body';

const isMissing = (issue: Issue): boolean => issue.code === 'invalid_type' && issue.input === undefined;

const isErrorKind = (value: unknown): value is ErrorKind =>
  typeof value === 'string' && Object.hasOwn(errorTable, value);

/** A contract's rule may name its error code, as `params: { kind }`. */
function toKind(issue: Issue): ErrorKind {
  const named = issue.code === 'custom' ? issue.params?.kind : undefined;
  if (isErrorKind(named)) return named;
  if (isMissing(issue)) return 'PARAM_NOT_COMPLETE';
  if (issue.code === 'invalid_type') return 'PARAM_TYPE_BIND_ERROR';
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1) return 'PARAM_IS_BLANK';
  return 'PARAM_IS_INVALID';
}

function toSentence(issue: Issue, where: Where): string {
  const name = issue.path.length === 0 ? `the ${where}` : issue.path.join('.');
  return isMissing(issue) ? `${name} is missing` : `${name}: ${lowerFirst(issue.message)}`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const maxIssues = 5;

export function parseInput<S extends z.ZodType>(schema: S, value: unknown, where: Where): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return rejectUnstorable(result.data, where);
  const issues = result.error.issues.slice(0, maxIssues);
  const first = issues[0];
  throw new ApiError(first ? toKind(first) : 'PARAM_ERROR', issues.map(issue => toSentence(issue, where)).join('; '));
}

/** If every field is optional, so is the body. */
export const isBodyOptional = (schema: z.ZodType): boolean => schema.safeParse({}).success;

export const parseBody = <S extends z.ZodType>(schema: S, body: unknown): z.output<S> =>
  parseInput(schema, body ?? (isBodyOptional(schema) ? {} : undefined), 'body');

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Checks validated input. Iterative, because a field may hold a document of any depth. */
function rejectUnstorable<T>(parsed: T, where: Where): T {
  const left: unknown[] = [parsed];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string' && !isStorable(value))
      throw new ApiError('PARAM_IS_INVALID', `the ${where} must not hold NUL or broken characters`);
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, inner] of Object.entries(value)) left.push(name, inner);
  }
  return parsed;
}

/** Bodies are already bounded, so one string may take all of one; contracts limit single strings. */
const limits = { maxStringBytes: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

/** Clients send a content type even with an empty body. */
export function ignoreTypeOfNothing({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (headers['content-length'] === '0') delete headers['content-type'];
}

/**
 * Rejects input that parsers interpret differently, such as invalid UTF-8 and duplicate names. Undefined for an empty
 * body, which clients may send with a JSON content type. Throws JSON_PARSE_ERROR.
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return parseStrictJson(body, limits);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new ApiError('JSON_PARSE_ERROR', `the body is not valid JSON: ${error.message}`, { cause: error });
  }
}
