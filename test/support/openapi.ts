// Checks an OpenAPI document: every schema is a valid JSON Schema 2020-12, every $ref resolves.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../server/src/platform/http/json-schema.ts';
import type { OpenApi, Operation } from '../../server/src/platform/http/openapi-types.ts';

const formats = { 'date-time': true, email: true, uri: true, binary: true } as const;

/** The endpoints among the exports of a contract file. */
export const endpointsIn = (contract: object): AnyEndpoint[] =>
  Object.values(contract).filter(value => typeof value === 'object' && value !== null && 'answerForm' in value);

export const listOperations = (document: OpenApi): Operation[] =>
  Object.values(document.paths).flatMap(path => Object.values(path));

/** Every object in the document, with its path. */
function* walk(value: unknown, path = '#'): Generator<[path: string, value: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [key, inner] of Object.entries(value)) yield* walk(inner, `${path}/${key}`);
}

export function listBrokenRefs(document: OpenApi): string[] {
  return [...walk(document)].flatMap(([path, { $ref }]) => {
    if (typeof $ref !== 'string') return [];
    const found = $ref
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((inside, key) => (inside as Record<string, unknown> | undefined)?.[key], document);
    return $ref.startsWith('#/') && found !== undefined ? [] : [`${path} → ${$ref}`];
  });
}

export function listBadSchemas(document: OpenApi): string[] {
  return [...walk(document)].flatMap(([path, { schema }]) => {
    if (schema === undefined) return [];
    try {
      compileSchema(document, schema as JsonSchema);
      return [];
    } catch (error) {
      return [`${path}: ${error}`];
    }
  });
}

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  formats,
}).addVocabulary(['components']);

/** A validator for a schema of the document. */
export const compileSchema = (document: OpenApi, schema: JsonSchema) =>
  ajv.compile({ ...schema, components: document.components });

/** The schema of an answer, with references to the shared answers resolved. */
export function answerSchema(document: OpenApi, operationId: string, status: string): JsonSchema {
  const operation = listOperations(document).find(each => each.operationId === operationId);
  const given = operation?.responses[status];
  const response = given && '$ref' in given ? document.components.responses[given.$ref.split('/').at(-1) ?? ''] : given;
  const [content] = Object.values((response && 'content' in response && response.content) || {});
  if (!content) throw new Error(`${operationId} has no answer ${status}`);
  return content.schema;
}
