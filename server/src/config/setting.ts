// What a single setting may look like: where it comes from, and the forms its value may have.
import { z } from 'zod';

export type Setting = {
  /** Key in the configuration file; dots nest. */
  readonly key: string;
  readonly env: string;
  readonly flag?: string;
  readonly secret?: true;
  readonly group: string;
  readonly help: string;
  readonly schema: z.ZodType;
  /** What the profile `laptop` says instead of the default of the schema. */
  readonly laptop?: unknown;
};

export const wholeNumber = (min: number, max: number) =>
  z.coerce.number(`must be a number`).int('must be a whole number').min(min).max(max);

export const yesOrNo = z.union([
  z.boolean(),
  z
    .enum(['true', 'false', '1', '0', 'yes', 'no'], 'must be true or false')
    .transform(word => ['true', '1', 'yes'].includes(word)),
]);

export const text = z.coerce.string().trim().min(1, 'must not be empty').max(4096);
export const list = z.union([
  z.array(text),
  text.transform(words =>
    words
      .split(',')
      .map(word => word.trim())
      .filter(word => word !== ''),
  ),
]);
export const urlOf = (...schemes: string[]) =>
  text.refine(value => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    error: `must be an address that starts with ${schemes.map(scheme => `${scheme}//`).join(' or ')}`,
  });

export const rate = (fallback: number) => wholeNumber(1, 1_000_000).default(fallback);

/** `key.rotation.enabled` → `KEY_ROTATION_ENABLED`. */
const upperSnake = (key: string): string => key.replace(/[.-]/g, '_').toUpperCase();

/** Dotted keys stand for themselves in the environment; the others carry our name. */
const toEnvName = (key: string) => (key.includes('.') ? upperSnake(key) : `RECORDPROOF_${upperSnake(key)}`);

export const define = <S extends z.ZodType>(
  group: string,
  key: string,
  schema: S,
  help: string,
  extra: { env?: string; flag?: string; secret?: true; laptop?: unknown } = {},
): Setting & { readonly schema: S } => ({ group, key, schema, help, ...extra, env: extra.env ?? toEnvName(key) });

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const milliseconds = (fallback: number, min: number, max: number) => wholeNumber(min, max).default(fallback);
export const seconds = (fallback: number, min = 1, max = 31_536_000) => wholeNumber(min, max).default(fallback);
