// Definition of a setting: its sources, and the accepted forms of its value. Each form rejects with the end of a
// sentence; values of another type are never converted.
import { z } from 'zod';
import { parseSize } from './parse-size.ts';

export type Setting = {
  /** Key in the configuration file; dots nest. */
  readonly key: string;
  readonly env: string;
  readonly flag?: string;
  readonly secret?: true;
  readonly group: string;
  readonly help: string;
  readonly schema: z.ZodType;
  /** The default in the profile `laptop`, if different from the schema's. */
  readonly laptop?: unknown;
};

/** A converted value, or the reason why it is invalid. */
type Formed<T> = { readonly value: T } | { readonly why: string };

/** A schema over any value of flags, environment and YAML. */
const formed = <T>(form: (input: unknown) => Formed<T>) =>
  z.unknown().transform((input, context): T => {
    const result = form(input);
    if ('value' in result) return result.value;
    context.addIssue({ code: 'custom', message: result.why });
    return z.NEVER;
  });

const maxTextLength = 4096;

/** YAML parses `bucket: 2026` as a number, which is accepted as text. Null, lists and groups are not. */
function toText(input: unknown): Formed<string> {
  if (typeof input !== 'string' && typeof input !== 'number') return { why: 'must be a text' };
  const value = String(input).trim();
  if (value === '') return { why: 'must not be empty' };
  return value.length > maxTextLength ? { why: `must have at most ${maxTextLength} characters` } : { value };
}

/** `reject` returns the defect of the text, or null. */
export const textThat = (reject: (text: string) => string | null) =>
  formed(input => {
    const text = toText(input);
    const why = 'why' in text ? null : reject(text.value);
    return why === null ? text : { why };
  });

export const text = textThat(() => null);

/** A text of this form; `why` is the end of the error sentence. */
export const matching = (form: RegExp, why: string) => textThat(value => (form.test(value) ? null : why));

/** Words separated by commas, or a list in the file. */
export const listOf = (reject: (word: string) => string | null) =>
  formed((input): Formed<string[]> => {
    const words = Array.isArray(input) ? input : typeof input === 'string' ? input.split(',') : [input];
    const texts = words.filter(word => typeof word !== 'string' || word.trim() !== '').map(toText);
    const value: string[] = [];
    for (const each of texts) {
      const why = 'why' in each ? each.why : reject(each.value);
      if (why !== null) return { why };
      if ('value' in each) value.push(each.value);
    }
    return { value };
  });

/** Decimal digits only: other notations are rejected. */
export const wholeNumber = (min: number, max: number) =>
  formed((input): Formed<number> => {
    const value = typeof input === 'string' && /^\s*\d{1,16}\s*$/.test(input) ? Number(input) : input;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return { value };
    return { why: `must be a whole number from ${min} to ${max}` };
  });

const timeUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const maxMillis = 2 ** 31 - 1;

/** Bytes within bounds; 0 where it has a meaning. */
export const bytes = (min: number, max: number) =>
  formed((input): Formed<number> => {
    const written = String(input).trim();
    const value = written === '0' ? 0 : parseSize(written);
    if (value !== undefined && value >= min && value <= max) return { value };
    return { why: `must be a size such as 10GB, or a number of bytes, from ${min} to ${max}` };
  });

/** Bytes. */
export const size = formed((input): Formed<number> => {
  const value = parseSize(String(input));
  return value === undefined ? { why: 'must be a size such as 1GB, 1100MB or a number of bytes' } : { value };
});

/** Milliseconds. */
export const duration = formed((input): Formed<number> => {
  const [, number, unit = ''] = /^([1-9][0-9]{0,9})(ms|s|m|h)$/.exec(String(input)) ?? [];
  const value = Number(number) * (timeUnits[unit] ?? Number.NaN);
  return value <= maxMillis ? { value } : { why: 'must be a time such as 100ms, 3s or 1m' };
});

/** A point in time, in milliseconds since the epoch; a time zone is required. */
export const instant = formed((input): Formed<number> => {
  const isWhole = z.iso.datetime({ offset: true }).safeParse(input).success;
  return isWhole ? { value: Date.parse(String(input)) } : { why: 'must be a time such as 2027-01-31T00:00:00Z' };
});

export const share = formed((input): Formed<number> => {
  const value = typeof input === 'string' && /^\s*\d*\.?\d+\s*$/.test(input) ? Number(input) : input;
  return typeof value === 'number' && value >= 0 && value <= 1 ? { value } : { why: 'must be a number from 0 to 1' };
});

const words: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  '1': true,
  false: false,
  no: false,
  '0': false,
};

export const yesOrNo = formed((input): Formed<boolean> => {
  const value = typeof input === 'boolean' ? input : words[String(input).trim().toLowerCase()];
  return value === undefined ? { why: 'must be true or false' } : { value };
});

export const oneOf = <const W extends string>(...choices: W[]) =>
  formed((input): Formed<W> => {
    const value = choices.find(choice => choice === input);
    return value === undefined ? { why: `must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}` } : { value };
  });

/** A text validated by another schema. */
export const fitting = (schema: z.ZodType<string>) =>
  formed((input): Formed<string> => {
    if (typeof input !== 'string' && typeof input !== 'number') return { why: 'must be a text' };
    const result = schema.safeParse(String(input));
    return result.success ? { value: result.data } : { why: result.error.issues[0]?.message ?? 'is not valid' };
  });

export const rate = (fallback: number) => wholeNumber(1, 100_000_000).default(fallback);

/** `key.rotation.enabled` → `KEY_ROTATION_ENABLED`. */
const upperSnake = (key: string): string => key.replace(/[.-]/g, '_').toUpperCase();

/**
 * Defines the settings of a group. `prefix`: that of their environment variables; by default dotted keys have none, and
 * the others have ours.
 */
export const settingsOf =
  (group: string, prefix?: string) =>
  <S extends z.ZodType>(
    key: string,
    schema: S,
    help: string,
    extra: { env?: string; flag?: string; secret?: true; laptop?: unknown } = {},
  ): Setting & { readonly schema: S } => {
    const env = (prefix ?? (key.includes('.') ? '' : 'RECORDPROOF_')) + upperSnake(key);
    return { group, key, schema, help, env, ...extra };
  };

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const milliseconds = (fallback: number, min: number, max: number) => wholeNumber(min, max).default(fallback);
export const seconds = (fallback: number, min = 1, max = 31_536_000) => wholeNumber(min, max).default(fallback);
