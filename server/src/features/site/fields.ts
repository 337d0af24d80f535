// A JSON Schema as table rows: one per field, nested fields below their parent.
import type { docsWords } from '@recordproof/shared/words/docs.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { JsonSchema } from '../../platform/http/json-schema.ts';

export type Resolve = (schema: JsonSchema) => JsonSchema;

/** A resolver for references, and the words of the page's language. */
export type Reading = { readonly resolve: Resolve; readonly texts: (typeof docsWords)[Language] };

export type Field = {
  /** The full path, such as `records[].id`. Empty for the value itself. */
  readonly path: string;
  readonly depth: number;
  readonly type: string;
  readonly required: boolean;
  /** Constraints besides the type. */
  readonly rules: readonly string[];
  readonly description: string;
};

const maxDepth = 6;

/** Resolves `$ref` in the components of the document. */
export const openResolver =
  (components: Readonly<Record<string, JsonSchema>>): Resolve =>
  schema => {
    const name = typeof schema.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : undefined;
    return name === undefined ? schema : { ...components[name], ...omitRef(schema) };
  };

const omitRef = ({ $ref: _ref, ...rest }: JsonSchema): JsonSchema => rest;

export function listFields(schema: JsonSchema, reading: Reading): Field[] {
  return walk(schema, { path: '', depth: 0, required: true }, reading);
}

type FieldPath = { readonly path: string; readonly depth: number; readonly required: boolean };

function walk(raw: JsonSchema, field: FieldPath, reading: Reading): Field[] {
  const schema = reading.resolve(raw);
  const own: Field = {
    ...field,
    type: toTypeText(schema, reading),
    rules: listRules(schema, reading.texts),
    description: typeof schema.description === 'string' ? schema.description : '',
  };
  const inner = field.depth < maxDepth ? listInner(schema, field, reading) : [];
  const isBareObject = field.path === '' && inner.length > 0;
  return isBareObject ? inner : [own, ...inner];
}

function listInner(schema: JsonSchema, { path, depth }: FieldPath, reading: Reading): Field[] {
  const { resolve } = reading;
  const choices = listChoices(schema);
  if (choices.length > 0)
    return choices.flatMap(choice => listInner(resolve(choice), { path, depth, required: true }, reading));
  if (schema.type === 'array' && isSchema(schema.items)) {
    const items = resolve(schema.items);
    return listInner(items, { path: `${path}[]`, depth, required: true }, reading);
  }
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  const named = properties.flatMap(([name, property]) =>
    isSchema(property)
      ? walk(property, { path: join(path, name), depth: depth + 1, required: required.includes(name) }, reading)
      : [],
  );
  const others = schema.additionalProperties;
  if (!isSchema(others) || Object.keys(others).length === 0) return named;
  return [...named, ...walk(others, { path: join(path, '{name}'), depth: depth + 1, required: false }, reading)];
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

export const listChoices = (schema: JsonSchema): JsonSchema[] =>
  [schema.oneOf, schema.anyOf].flatMap(choices => (Array.isArray(choices) ? choices.filter(isSchema) : []));

function toTypeText(raw: JsonSchema, reading: Reading): string {
  const { resolve, texts } = reading;
  const schema = resolve(raw);
  const choices = listChoices(schema);
  if (choices.length > 0) return [...new Set(choices.map(choice => toTypeText(choice, reading)))].join(texts.or);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.format === 'binary') return texts.file;
  if (schema.type === 'array')
    return isSchema(schema.items) ? texts.listOf(toTypeText(schema.items, reading)) : texts.list;
  if (Array.isArray(schema.type)) return schema.type.join(texts.or);
  if (typeof schema.type !== 'string') return texts.anything;
  const format = typeof schema.format === 'string' ? schema.format : undefined;
  return format === undefined ? schema.type : `${schema.type} (${format})`;
}

function listRules(schema: JsonSchema, texts: Reading['texts']): string[] {
  const { enum: values, default: fallback, pattern } = schema;
  const rules: string[] = [];
  if (Array.isArray(values)) rules.push(texts.oneOf(values.map(value => JSON.stringify(value)).join(', ')));
  rules.push(...toRange('', schema.minimum, schema.maximum, texts));
  rules.push(...toRange(texts.length, schema.minLength, schema.maxLength, texts));
  rules.push(...toRange(texts.entries, schema.minItems, schema.maxItems, texts));
  if (typeof pattern === 'string') rules.push(texts.matches(pattern));
  if (fallback !== undefined) rules.push(texts.byDefault(JSON.stringify(fallback)));
  return rules;
}

function toRange(what: string, least: unknown, most: unknown, texts: Reading['texts']): string[] {
  if (typeof least === 'number' && typeof most === 'number')
    return [least === most ? texts.exactly(what, least) : texts.fromTo(what, least, most)];
  if (typeof least === 'number') return [texts.atLeast(what, least)];
  return typeof most === 'number' ? [texts.atMost(what, most)] : [];
}
