// A strict parser for untrusted JSON. Rejects malformed UTF-8, duplicate keys, trailing tokens, lone surrogates,
// overflowing numbers and anything beyond its limits. Linear in the input; objects have no prototype.
import type { JsonValue } from './canonical-json.ts';

type JsonLimits = {
  maxBytes: number;
  maxDepth: number;
  maxStringBytes: number;
  maxNumberLength: number;
  /** Limits memory: `[{},{},…]` takes a hundred times its bytes once parsed. Our largest documents have 100,000. */
  maxValues: number;
  /**
   * Limits time: an object with a hundred thousand names is slow to create and slower to sort. Ours have about a dozen.
   */
  maxMembers: number;
};

const defaultJsonLimits: JsonLimits = {
  maxBytes: 8 * 1024 * 1024,
  maxDepth: 64,
  maxStringBytes: 256 * 1024,
  maxNumberLength: 128,
  maxValues: 131_072,
  maxMembers: 1024,
};

type StrictJsonCode =
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

/** Names the defect and the position, never the text itself, which is untrusted. */
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
  if (bytes.length > bounds.maxBytes)
    throw new StrictJsonError('JSON_TOO_LARGE', 0, `the JSON exceeds ${bounds.maxBytes} bytes`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new StrictJsonError('JSON_NOT_UTF8', 0, 'the JSON is not UTF-8');
  }
  return new Tokenizer(text, bounds).whole();
}

const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const controlCharacter = /[^ -\u{10ffff}]/u; // all characters before the space
const [space, backslash] = [0x20, 0x5c];

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
    const text = this.#text;
    let at = this.#at;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code !== space && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
    }
    this.#at = at;
  }

  /** Consumes `token` after optional white space; returns false if something else follows. */
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
    let count = 0;
    do {
      if (++count > this.#limits.maxMembers) throw this.#error('JSON_TOO_MANY_VALUES', 'too many fields in one object');
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#syntax();
      const key = this.#string();
      if (key in members) throw this.#error('JSON_DUPLICATE_FIELD', 'a field occurs twice in one object');
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
    const start = ++this.#at;
    const end = this.#endOfString(start);
    // Escapes take at most six characters for one byte.
    if (end - start > 6 * this.#limits.maxStringBytes) throw this.#tooLong();
    const raw = this.#text.slice(start, end);
    if (controlCharacter.test(raw)) throw this.#syntax();
    const value = raw.includes('\\') ? this.#unescape(raw) : raw;
    if (3 * value.length > this.#limits.maxStringBytes && utf8Length(value) > this.#limits.maxStringBytes)
      throw this.#tooLong();
    if (!value.isWellFormed()) throw this.#error('JSON_LONE_SURROGATE', 'a string holds half a character');
    this.#at = end + 1;
    return value;
  }

  /** The index of the closing quotation mark: the first one that is not escaped. */
  #endOfString(start: number): number {
    const text = this.#text;
    for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
      let from = end;
      while (from > start && text.charCodeAt(from - 1) === backslash) from--;
      if ((end - from) % 2 === 0) return end;
    }
    throw this.#syntax();
  }

  #unescape(raw: string): string {
    try {
      return JSON.parse(`"${raw}"`);
    } catch {
      throw this.#syntax();
    }
  }

  #tooLong(): StrictJsonError {
    return this.#error('JSON_STRING_TOO_LONG', 'a string is too long');
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
