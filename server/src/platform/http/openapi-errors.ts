// Error responses of each endpoint: those of its contract, and those of the HTTP layer.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { type ErrorKind, errorTable } from '@recordproof/shared/api/errors.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Ref, ResponseObject } from './openapi-types.ts';

type Headers = Readonly<Record<string, Ref>>;

const inputErrors: readonly ErrorKind[] = [
  'PARAM_ERROR',
  'PARAM_IS_INVALID',
  'PARAM_IS_BLANK',
  'PARAM_TYPE_BIND_ERROR',
  'PARAM_NOT_COMPLETE',
  'JSON_PARSE_ERROR',
];
const tokenErrors: readonly ErrorKind[] = ['UNAUTHORIZED', 'PERMISSION_TOKEN_EXPIRED', 'PERMISSION_TOKEN_INVALID'];
const alwaysPossible: readonly ErrorKind[] = [
  'RATE_LIMITED',
  'INTERNAL',
  'SERVICE_CIRCUIT_OPEN',
  'SERVICE_TIMEOUT',
  'SERVICE_UNAVAILABLE',
];

/** Errors of the HTTP layer, for any request or before the handler runs. */
export function listCommonErrors(endpoint: AnyEndpoint): ErrorKind[] {
  const { access } = endpoint;
  const needsToken = access !== 'anonymous' && access !== 'optional';
  return [
    ...(endpoint.params || endpoint.query || endpoint.body ? inputErrors : []),
    ...(needsToken ? tokenErrors : []),
    ...(needsToken && access !== 'signed-in' ? (['FORBIDDEN'] as const) : []),
    ...(endpoint.bodyForms.length > 0 ? (['TOO_LARGE'] as const) : []),
    ...alwaysPossible,
  ];
}

/** Status → kinds, by ascending status; the endpoint's own kinds first. */
export function listErrors(endpoint: AnyEndpoint): [status: string, kinds: ErrorKind[]][] {
  const byStatus = new Map<string, ErrorKind[]>();
  for (const kind of new Set([...endpoint.errors, ...listCommonErrors(endpoint)])) {
    const status = String(errorTable[kind].status);
    byStatus.set(status, [...(byStatus.get(status) ?? []), kind]);
  }
  return [...byStatus].sort(([a], [b]) => Number(a) - Number(b));
}

/** Sets of errors that many endpoints share; each is in the document once. */
const shared: readonly (readonly ErrorKind[])[] = [inputErrors, tokenErrors, ['FORBIDDEN'], ['TOO_LARGE']];
const sharedByStatus = new Map<string, readonly ErrorKind[]>(
  [...shared, ['RATE_LIMITED'], ['INTERNAL'], ['SERVICE_CIRCUIT_OPEN', 'SERVICE_TIMEOUT', 'SERVICE_UNAVAILABLE']].map(
    kinds => [String(errorTable[kinds[0] as ErrorKind].status), kinds as readonly ErrorKind[]],
  ),
);

export const sharedResponses = (headers: Headers): Record<string, ResponseObject> =>
  Object.fromEntries(
    [...sharedByStatus].map(([status, kinds]) => [`Error${status}`, toResponse(kinds, headers, undefined)]),
  );

export function toErrorResponse(
  status: string,
  kinds: readonly ErrorKind[],
  headers: Headers,
  plainAnswer: JsonSchema | undefined,
): ResponseObject | Ref {
  const isShared = !plainAnswer && sharedByStatus.get(status)?.join() === kinds.join();
  return isShared ? { $ref: `#/components/responses/Error${status}` } : toResponse(kinds, headers, plainAnswer);
}

function toResponse(kinds: readonly ErrorKind[], headers: Headers, plainAnswer: JsonSchema | undefined) {
  const schema = toErrorSchema(kinds);
  return {
    description: kinds.map(kind => `${errorTable[kind].code} ${kind}: ${errorTable[kind].message}`).join('; '),
    headers,
    content: { 'application/json': { schema: plainAnswer ? { anyOf: [plainAnswer, schema] } : schema } },
  };
}

const toErrorSchema = (kinds: readonly ErrorKind[]): JsonSchema => ({
  type: 'object',
  required: ['code', 'message', 'data'],
  properties: {
    code: { enum: [...new Set(kinds.map(kind => errorTable[kind].code))] },
    message: { type: 'string' },
    data: { type: ['object', 'null'], properties: { detail: { type: 'object' } } },
  },
});
