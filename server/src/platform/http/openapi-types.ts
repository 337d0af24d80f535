// Types of the OpenAPI 3.1 document, as far as this server uses it.
import type { JsonSchema } from './json-schema.ts';

export type Ref = { readonly $ref: string };
export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
};
export type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;
export type ResponseObject = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Ref>>;
  readonly content?: Content;
};
export type Operation = {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | Ref>>;
  readonly 'x-access': string;
  /** Required scope of an API token; `any`: no scope needed, `none`: API tokens are rejected. */
  readonly 'x-token-scope'?: string;
  readonly 'x-takes-folder-tokens'?: boolean;
  readonly 'x-rate-class': string;
  readonly 'x-aliases'?: readonly string[];
};
export type OpenApi = {
  readonly openapi: '3.1.1';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
};
