// Shared schemas: ids, times, pages, the envelope.
import { z } from 'zod';

export const externalIdPattern = /^U[0-9A-Za-z]{22}$/;

/** The public id of another account. */
export const externalId = z.string().regex(externalIdPattern, 'must be an external id: U and 22 letters or digits');

/** A database id on the wire: a decimal string. Numbers beyond the range of the database match nothing. */
export const recordId = z
  .string()
  .regex(/^[1-9][0-9]{0,18}$/, 'must be a decimal id')
  .meta({ description: 'record id, a decimal string', examples: ['42'] });

/** Path parameters of a record. */
export const byId = z.object({ id: recordId });

export const count = z.int().min(0);

export const isoTime = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-01-31T12:00:00.000Z'] });

export const maxPageSize = 100;
export const mostPages = 1_000_000_000;

const decimalDigits = /^(0|-?[1-9][0-9]{0,14})$/;

/** An integer in a path, a query or a form, as text. Other notations are rejected, such as an empty text or `0x1`. */
export const numberFromText = <S extends z.ZodType>(number: S) =>
  z.preprocess(text => (typeof text === 'string' && decimalDigits.test(text) ? Number(text) : text), number);

/** `true` or `false` in a query, as text. */
export const booleanInText = z.preprocess(
  text => (text === 'true' ? true : text === 'false' ? false : text),
  z.boolean(),
);

/** `page`, `size` and `sort` of a list; `sortable` are the sort fields, the first being the default. */
export const pageQuery = <const F extends readonly [string, ...string[]]>(sortable: F) =>
  z.object({
    page: numberFromText(z.int().min(1).max(mostPages).default(1)),
    size: numberFromText(z.int().min(1).max(maxPageSize).default(10)),
    sort: z
      .string()
      .regex(
        new RegExp(`^(${sortable.join('|')})(,(asc|desc))?$`),
        `must be one of ${sortable.join(', ')}, then ,asc or ,desc`,
      )
      .default(`${sortable[0]},desc`),
  });

/** `limit` and `cursor` of a list with slices: returns what follows the record named by the cursor. */
export const sliceQuery = z.object({
  limit: numberFromText(z.int().min(1).max(maxPageSize).default(50)),
  cursor: recordId.optional(),
});

export const sliceOf = <T extends z.ZodType>(record: T) =>
  z.object({ records: z.array(record), nextCursor: recordId.nullable() });

/** As parsed by `pageQuery`. */
export type PageRequest = { readonly page: number; readonly size: number; readonly sort: string };

export const pageOf = <T extends z.ZodType>(record: T) =>
  z.object({
    records: z.array(record),
    total: z.int().min(0),
    current: z.int().min(1),
    size: z.int().min(1),
    pages: z.int().min(0),
  });

export type Page<T> = { records: T[]; total: number; current: number; size: number; pages: number };

export const toPage = <T>(records: T[], total: number, request: Pick<PageRequest, 'page' | 'size'>): Page<T> => ({
  records,
  total,
  current: request.page,
  size: request.size,
  pages: Math.ceil(total / request.size),
});

type Sort = { field: string; direction: 'asc' | 'desc' };

export function parseSort(sort: string): Sort {
  const [field = '', direction] = sort.split(',');
  return { field, direction: direction === 'asc' ? 'asc' : 'desc' };
}

/** Letters of any script, without line breaks and control characters. */
export const plainText = (maxCharacters: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(maxCharacters)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters');

/** As `plainText`, but may be empty, which means none. */
export const optionalText = (maxCharacters: number) =>
  z
    .string()
    .trim()
    .max(maxCharacters)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters');

/** Letters of any script, in several lines; the only control characters are tabs and line ends. */
export const textInLines = (maxCharacters: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(maxCharacters)
    .regex(/^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u, 'must not hold control characters')
    .regex(/\S/u, 'must not be empty');

/** A code in a URL, where it is text; elsewhere it is a number. */
export const codeInQuery = <T extends number>(code: z.ZodLiteral<T>) =>
  numberFromText(code).meta({ ...code.meta(), enum: [...code.values] });
