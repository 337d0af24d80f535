// curl examples: all required values are included, in <angle brackets> if only the caller knows them.
import type { JsonSchema } from '../../platform/http/json-schema.ts';
import type { Content, Operation } from '../../platform/http/openapi-types.ts';
import { listChoices, type Resolve } from './fields.ts';

function toExample(raw: JsonSchema, name: string, resolve: Resolve, depth = 0): unknown {
  const schema = resolve(raw);
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  const [first] = Array.isArray(schema.enum) ? schema.enum : [];
  const value = example ?? schema.default ?? schema.const ?? first;
  if (value !== undefined) return value;
  const [choice] = listChoices(schema);
  if (choice) return toExample(choice, name, resolve, depth);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return depth > 4 ? {} : toObjectExample(schema, resolve, depth);
    case 'array':
      return depth > 4 ? [] : [toExample((schema.items ?? {}) as JsonSchema, name, resolve, depth + 1)];
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return toTextExample(schema, name);
  }
}

function toTextExample({ format }: JsonSchema, name: string): string {
  if (format === 'email') return 'you@example.org';
  if (format === 'date-time') return '2026-01-31T12:00:00.000Z';
  return `<${name}>`;
}

function toObjectExample(schema: JsonSchema, resolve: Resolve, depth: number): Record<string, unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const shown = properties.filter(([name]) => required.includes(name));
  const chosen = shown.length > 0 ? shown : properties.slice(0, 1);
  return Object.fromEntries(chosen.map(([name, part]) => [name, toExample(part, name, resolve, depth + 1)]));
}

/** An example body; null for calls without one. */
export function toJsonExample({ requestBody }: Operation, resolve: Resolve): string | null {
  const body = requestBody?.content['application/json'];
  return body === undefined ? null : JSON.stringify(toExample(body.schema, 'body', resolve), null, 2);
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function toCurl(
  call: { readonly method: string; readonly path: string; readonly baseUrl: string },
  operation: Operation,
  resolve: Resolve,
): string {
  const query = (operation.parameters ?? [])
    .filter(parameter => parameter.in === 'query' && parameter.required)
    .map(parameter => `${parameter.name}=${toExample(parameter.schema, parameter.name, resolve)}`);
  const path = call.path.replace(/\{(\w+)\}/g, '<$1>') + (query.length > 0 ? `?${query.join('&')}` : '');
  const needsToken = operation.security.length > 0 && !operation.security.some(way => Object.keys(way).length === 0);
  const lines = [
    `curl${call.method === 'get' ? '' : ` -X ${call.method.toUpperCase()}`} ${quote(call.baseUrl + path)}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...listBodyOptions(operation.requestBody?.content ?? {}, resolve),
    ...listAnswerOptions(operation),
  ];
  return lines.join(' \\\n  ');
}

function listBodyOptions(content: Content, resolve: Resolve): string[] {
  const [[type, body] = []] = Object.entries(content);
  if (type === undefined || !body) return [];
  if (type === 'application/octet-stream') return ["--data-binary '@<file>'"];
  const example = toExample(body.schema, 'body', resolve);
  if (type === 'application/json')
    return ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(example, null, 2))}`];
  const fields = Object.entries(Object(example) as Record<string, unknown>);
  if (type !== 'multipart/form-data')
    return fields.map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`);
  const properties = (resolve(body.schema).properties ?? {}) as Record<string, JsonSchema>;
  // The file comes last, so that its metadata arrives before its bytes.
  const isFile = ([name]: [string, unknown]) => properties[name]?.format === 'binary';
  const ordered = [...fields.filter(field => !isFile(field)), ...fields.filter(isFile)];
  return ordered.map(field => `-F ${quote(`${field[0]}=${isFile(field) ? '@<file>' : field[1]}`)}`);
}

function listAnswerOptions({ responses }: Operation): string[] {
  const success = responses['200'];
  const types = success && 'content' in success ? Object.keys(success.content ?? {}) : [];
  if (types.includes('text/event-stream')) return ['-N'];
  return types.includes('application/octet-stream') ? ["-o '<file>'"] : [];
}
