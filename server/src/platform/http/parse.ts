// The door: what comes in is parsed by the contract's schema or refused with the code that says how it was wrong.
import { ApiError, type ErrorKind } from '@recordproof/shared/api/errors.ts';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Where = 'path' | 'query' | 'body';

const isMissing = (issue: Issue): boolean => issue.code === 'invalid_type' && issue.input === undefined;

function toKind(issue: Issue): ErrorKind {
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
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, maxIssues);
  const first = issues[0];
  throw new ApiError(first ? toKind(first) : 'PARAM_ERROR', issues.map(issue => toSentence(issue, where)).join('; '));
}
