// Owns reading JSON that a stranger wrote. Refuses malformed UTF-8, duplicate keys, trailing tokens, lone surrogates,
// numbers that overflow and everything over its limits. Linear in the input; objects have no prototype.
import type { JsonValue } from './canonical-json.ts';

export type JsonLimits = {
  maxBytes: number;
  maxDepth: number;
  maxStringBytes: number;
  maxNumberLength: number;
  /** Bounds memory: `[{},{},…]` costs a hundred times its bytes once parsed. */
  maxValues: number;
};

export const defaultJsonLimits: JsonLimits = {
  maxBytes: 8 * 1024 * 1024,
  maxDepth: 64,
  maxStringBytes: 256 * 1024,
  maxNumberLength: 128,
  maxValues: 262_144,
};

export type StrictJsonCode =
  | 'JSON_TOO_LARGE'
  | 'JSON_NOT_UTF8'
  | 'JSON_SYNTAX'
  | 'JSON_TRAILING_TOKEN'
  | 'JSON_DUPLICATE_FIELD'
  | 'JSON_TOO_DEEP'
  | 'JSON_STRING_TOO_LONG'
  | 'JSON_LONE_SURROGATE'
  | 'JSON_NUMBER_TOO_LONG'
  | 'JSON_NUMBER_OUT_OF_RANGE'
  | 'JSON_TOO_MANY_VALUES';

/** Says what and where, never the text itself: that text is a stranger's. */
export class StrictJsonError extends Error {
  readonly code: StrictJsonCode;
  readonly offset: number;
  constructor(code: StrictJsonCode, offset: number, message: string) {
    super(`${message} (at character ${offset})`);
    this.name = 'StrictJsonError';
    this.code = code;
    this.offset = offset;
  }
}

/** Throws StrictJsonError for anything that is not exactly one JSON value within the limits. */
export function parseStrictJson(bytes: Uint8Array, limits: Partial<JsonLimits> = {}): JsonValue {
  const bounds = { ...defaultJsonLimits, ...limits };
  if (bytes.length > bounds.maxBytes) throw new StrictJsonError('JSON_TOO_LARGE', 0, 'the JSON is too large');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new StrictJsonError('JSON_NOT_UTF8', 0, 'the JSON is not UTF-8');
  }
  return new Tokenizer(text, bounds).whole();
}

const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const escapes: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class Tokenizer {
  readonly #text: string;
  readonly #limits: JsonLimits;
  #at = 0;
  #values = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  whole(): JsonValue {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#error('JSON_TRAILING_TOKEN', 'something follows the JSON value');
    return value;
  }

  #error(code: StrictJsonCode, message: string): StrictJsonError {
    return new StrictJsonError(code, this.#at, message);
  }

  #syntax(): StrictJsonError {
    return this.#error('JSON_SYNTAX', 'this is not JSON');
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  /** Consumes `token` after optional white space; false when something else stands there. */
  #take(token: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #value(depth: number): JsonValue {
    if (++this.#values > this.#limits.maxValues) throw this.#error('JSON_TOO_MANY_VALUES', 'too many values');
    this.#space();
    const first = this.#text[this.#at];
    if (first === '{' || first === '[') {
      if (depth >= this.#limits.maxDepth) throw this.#error('JSON_TOO_DEEP', 'the JSON is nested too deeply');
      this.#at++;
      return first === '{' ? this.#object(depth + 1) : this.#array(depth + 1);
    }
    if (first === '"') return this.#string();
    if (first === 't') return this.#word('true', true);
    if (first === 'f') return this.#word('false', false);
    if (first === 'n') return this.#word('null', null);
    return this.#number();
  }

  #word<T extends boolean | null>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#syntax();
    this.#at += word.length;
    return value;
  }

  #object(depth: number): JsonValue {
    const members: Record<string, JsonValue> = Object.create(null);
    if (this.#take('}')) return members;
    do {
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#syntax();
      const key = this.#string();
      if (key in members) throw this.#error('JSON_DUPLICATE_FIELD', 'a field stands twice in one object');
      if (!this.#take(':')) throw this.#syntax();
      members[key] = this.#value(depth);
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#syntax();
    return members;
  }

  #array(depth: number): JsonValue {
    const items: JsonValue[] = [];
    if (this.#take(']')) return items;
    do items.push(this.#value(depth));
    while (this.#take(','));
    if (!this.#take(']')) throw this.#syntax();
    return items;
  }

  #number(): number {
    numberToken.lastIndex = this.#at;
    const token = numberToken.exec(this.#text)?.[0];
    if (token === undefined) throw this.#syntax();
    if (token.length > this.#limits.maxNumberLength) throw this.#error('JSON_NUMBER_TOO_LONG', 'a number is too long');
    const value = Number(token);
    if (!Number.isFinite(value)) throw this.#error('JSON_NUMBER_OUT_OF_RANGE', 'a number is out of range');
    this.#at += token.length;
    return value;
  }

  #string(): string {
    const text = this.#text;
    const start = ++this.#at;
    const parts: string[] = [];
    let from = start;
    for (;;) {
      if (this.#at - start > 6 * this.#limits.maxStringBytes) throw this.#tooLong();
      const code = text.charCodeAt(this.#at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        parts.push(text.slice(from, this.#at), this.#escape());
        from = this.#at;
      } else if (code >= 0x20) this.#at++;
      // Control characters and NaN, which is the end of the text.
      else throw this.#syntax();
    }
    const value = parts.length === 0 ? text.slice(start, this.#at) : parts.join('') + text.slice(from, this.#at);
    if (utf8Length(value) > this.#limits.maxStringBytes) throw this.#tooLong();
    if (!value.isWellFormed()) throw this.#error('JSON_LONE_SURROGATE', 'a string holds half a character');
    this.#at++;
    return value;
  }

  #tooLong(): StrictJsonError {
    return this.#error('JSON_STRING_TOO_LONG', 'a string is too long');
  }

  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? '';
    if (letter === 'u') {
      const digits = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#syntax();
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const value = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (value === undefined) throw this.#syntax();
    this.#at += 2;
    return value;
  }
}

function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    // A surrogate pair is two code units and four bytes: one extra byte for each half.
    length += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return length;
}
