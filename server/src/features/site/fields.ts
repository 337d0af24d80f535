// A JSON Schema as rows for people: one line per field, nested fields below the field that holds them.
import type { JsonSchema } from '../../platform/http/json-schema.ts';

export type Resolve = (schema: JsonSchema) => JsonSchema;

export type Field = {
  /** From the top, as one would write it: `records[].id`. Empty for the value itself. */
  readonly path: string;
  readonly depth: number;
  readonly type: string;
  readonly required: boolean;
  /** What a value must be besides its type. */
  readonly rules: readonly string[];
  readonly description: string;
};

const maxDepth = 6;

/** Follows `$ref` into the components of the document. */
export const openResolver =
  (components: Readonly<Record<string, JsonSchema>>): Resolve =>
  schema => {
    const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : undefined;
    return name === undefined ? schema : { ...components[name], ...omitRef(schema) };
  };

const omitRef = ({ $ref: _ref, ...rest }: JsonSchema): JsonSchema => rest;

export function listFields(schema: JsonSchema, resolve: Resolve): Field[] {
  return walk(schema, { path: '', depth: 0, required: true }, resolve);
}

type Place = { readonly path: string; readonly depth: number; readonly required: boolean };

function walk(raw: JsonSchema, place: Place, resolve: Resolve): Field[] {
  const schema = resolve(raw);
  const own: Field = {
    ...place,
    type: toTypeText(schema, resolve),
    rules: listRules(schema),
    description: typeof schema.description === 'string' ? schema.description : '',
  };
  const inner = place.depth < maxDepth ? listInner(schema, place, resolve) : [];
  const isBareObject = place.path === '' && inner.length > 0;
  return isBareObject ? inner : [own, ...inner];
}

function listInner(schema: JsonSchema, { path, depth }: Place, resolve: Resolve): Field[] {
  const choices = listChoices(schema);
  if (choices.length > 0)
    return choices.flatMap(choice => listInner(resolve(choice), { path, depth, required: true }, resolve));
  if (schema.type === 'array' && isSchema(schema.items)) {
    const items = resolve(schema.items);
    return listInner(items, { path: `${path}[]`, depth, required: true }, resolve);
  }
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  const named = properties.flatMap(([name, property]) =>
    isSchema(property)
      ? walk(property, { path: join(path, name), depth: depth + 1, required: required.includes(name) }, resolve)
      : [],
  );
  const others = schema.additionalProperties;
  if (!isSchema(others) || Object.keys(others).length === 0) return named;
  return [...named, ...walk(others, { path: join(path, '{name}'), depth: depth + 1, required: false }, resolve)];
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

export const listChoices = (schema: JsonSchema): JsonSchema[] =>
  [schema.oneOf, schema.anyOf].flatMap(choices => (Array.isArray(choices) ? choices.filter(isSchema) : []));

function toTypeText(raw: JsonSchema, resolve: Resolve): string {
  const schema = resolve(raw);
  const choices = listChoices(schema);
  if (choices.length > 0) return [...new Set(choices.map(choice => toTypeText(choice, resolve)))].join(' or ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.format === 'binary') return 'file';
  if (schema.type === 'array') return isSchema(schema.items) ? `list of ${toTypeText(schema.items, resolve)}` : 'list';
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (typeof schema.type !== 'string') return 'anything';
  const known = typeof schema.format === 'string' ? schema.format : undefined;
  return known === undefined ? schema.type : `${schema.type} (${known})`;
}

function listRules(schema: JsonSchema): string[] {
  const { enum: values, default: fallback, pattern } = schema;
  const rules: string[] = [];
  if (Array.isArray(values)) rules.push(`one of ${values.map(value => JSON.stringify(value)).join(', ')}`);
  rules.push(...toRange('', schema.minimum, schema.maximum));
  rules.push(...toRange('length ', schema.minLength, schema.maxLength));
  rules.push(...toRange('entries ', schema.minItems, schema.maxItems));
  if (typeof pattern === 'string') rules.push(`matches ${pattern}`);
  if (fallback !== undefined) rules.push(`default ${JSON.stringify(fallback)}`);
  return rules;
}

function toRange(what: string, least: unknown, most: unknown): string[] {
  if (typeof least === 'number' && typeof most === 'number')
    return [least === most ? `${what}exactly ${least}` : `${what}${least} to ${most}`];
  if (typeof least === 'number') return [`${what}at least ${least}`];
  return typeof most === 'number' ? [`${what}at most ${most}`] : [];
}
