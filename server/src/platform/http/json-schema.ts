// JSON Schema 2020-12 of the contracts' zod schemas, in one document: zod's nested definitions move to the document's
// components, so that every $ref resolves.
import { z } from 'zod';

export type JsonSchema = { readonly [keyword: string]: unknown };

export type SchemaBook = {
  /** `input`: requests; `output`: responses. `name` is for parts without one. */
  toSchema(schema: z.ZodType, io: 'input' | 'output', name: string): JsonSchema;
  readonly components: Readonly<Record<string, JsonSchema>>;
};

const componentPath = '#/components/schemas/';

/** Formats that replace their pattern, because the name says more. */
const describedFormats = new Set(['date-time', 'email', 'uri', 'uuid']);

export function openSchemaBook(): SchemaBook {
  const components: Record<string, JsonSchema> = {};
  const sources = new Map<string, string>();

  /** Equal definitions share a name; a different one with the same name gets a number. */
  function register(name: string, source: string): string {
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? name : `${name}${number}`;
      const existing = sources.get(candidate);
      if (existing !== undefined && existing !== source) continue;
      sources.set(candidate, source);
      return candidate;
    }
  }

  function toSchema(schema: z.ZodType, io: 'input' | 'output', name: string): JsonSchema {
    const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: ({ jsonSchema }) => tidy(jsonSchema) });
    const { $schema: _draft, $defs = {}, ...root } = made as JsonSchema & { $defs?: Record<string, JsonSchema> };
    const names = new Map<string, string>();
    for (const [key, definition] of Object.entries($defs)) {
      const preferredName = key.startsWith('__') ? `${name}Part` : key.replace(/[^\w.-]/g, '_');
      names.set(
        `#/$defs/${key}`,
        register(preferredName, JSON.stringify([key, definition, key.startsWith('__') && made])),
      );
    }
    for (const [key, definition] of Object.entries($defs)) {
      const target = names.get(`#/$defs/${key}`);
      if (target !== undefined) components[target] = pointTo(definition, names) as JsonSchema;
    }
    if (!JSON.stringify(root).includes('"$ref":"#"')) return pointTo(root, names) as JsonSchema;
    const own = register(name, JSON.stringify(made));
    names.set('#', own);
    components[own] = pointTo(root, names) as JsonSchema;
    return { $ref: componentPath + own };
  }

  return { toSchema, components };
}

function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (typeof schema.format === 'string' && describedFormats.has(schema.format)) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  delete schema.id;
}

function pointTo(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map(item => pointTo(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const target = key === '$ref' && typeof inner === 'string' ? names.get(inner) : undefined;
      return [key, target === undefined ? pointTo(inner, names) : componentPath + target];
    }),
  );
}
