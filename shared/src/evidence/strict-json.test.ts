// Strict JSON parser compared with JSON.parse: duplicate fields, UTF-8, surrogates, limits on depth, size and counts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toUtf8 } from './digest.ts';
import { parseStrictJson, StrictJsonError } from './strict-json.ts';

const parse = (text: string) => parseStrictJson(toUtf8(text));

function codeOf(input: string | Uint8Array, limits = {}): string {
  try {
    parseStrictJson(typeof input === 'string' ? toUtf8(input) : input, limits);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    return error.code;
  }
}

const spelled = (value: unknown) => JSON.stringify(value);

test('the parser reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 2), (text, spaces) => {
      const spaced = JSON.stringify(JSON.parse(text), null, spaces);
      if (!spaced.isWellFormed() || /\\ud[89a-f]/i.test(spaced)) return;
      expect(spelled(parse(spaced))).toBe(spelled(JSON.parse(spaced)));
    }),
  );
});

test('every accepted text has the same value in JSON.parse', () => {
  const alphabet = [...'{}[]",:\\truefalsn0123456789-+.eE u/bd\n\t'];
  const text = fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }).map(letters => letters.join(''));
  fc.assert(
    fc.property(text, candidate => {
      if (codeOf(candidate) === 'accepted') expect(spelled(parse(candidate))).toBe(spelled(JSON.parse(candidate)));
    }),
    { numRuns: 5000 },
  );
});

test('a duplicate field is rejected at every depth, also when written with an escape', () => {
  expect(codeOf('{"a":1,"a":1}')).toBe('JSON_DUPLICATE_FIELD');
  expect(codeOf('[{"x":{"a":1,"b":2,"\\u0061":3}}]')).toBe('JSON_DUPLICATE_FIELD');
  expect(codeOf('{"__proto__":1,"__proto__":2}')).toBe('JSON_DUPLICATE_FIELD');
});

test('a field named __proto__ is an ordinary field and changes no prototype', () => {
  const value = parse('{"__proto__":{"polluted":true},"constructor":1,"hasOwnProperty":2}') as Record<string, unknown>;
  expect(Object.getPrototypeOf(value)).toBeNull();
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'hasOwnProperty']);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('anything after the value is rejected', () => {
  for (const text of ['{} {}', '1 2', '[]]', 'null,', '"a"b', '{}\0']) expect(codeOf(text)).toBe('JSON_TRAILING_TOKEN');
  expect(codeOf(' {} \r\n\t')).toBe('accepted');
});

test('text that is not JSON is rejected', () => {
  const bad = ['', ' ', '{', '[', '[1,]', '{"a":1,}', '{a:1}', "{'a':1}", 'nul', 'True', '-', '.5', '+1'];
  const more = ['"', '"\\x"', '"\\u12g4"', '"\n"', '"\t"', '{"a"}', '{"a":}', '[,]', '// c\n1', 'NaN', '\ufeff{}'];
  for (const text of [...bad, ...more]) expect(codeOf(text), text).toBe('JSON_SYNTAX');
  for (const text of ['01', '1.', '1e', '0x1', '1_0']) expect(codeOf(text), text).toBe('JSON_TRAILING_TOKEN');
});

test('text that is not UTF-8 is rejected', () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
  ])
    expect(codeOf(Uint8Array.from(bytes))).toBe('JSON_NOT_UTF8');
});

test('unpaired surrogates are rejected, pairs are accepted', () => {
  expect(codeOf('"\\ud83d"')).toBe('JSON_LONE_SURROGATE');
  expect(codeOf('"\\ude00\\ud83d"')).toBe('JSON_LONE_SURROGATE');
  expect(parse('"\\ud83d\\ude00"')).toBe('\u{1f600}');
});

test('numbers are bounded in length and in value', () => {
  expect(codeOf('1'.repeat(128))).toBe('accepted');
  expect(codeOf('1'.repeat(129))).toBe('JSON_NUMBER_TOO_LONG');
  expect(codeOf('1e400')).toBe('JSON_NUMBER_OUT_OF_RANGE');
  expect(codeOf('-1e400')).toBe('JSON_NUMBER_OUT_OF_RANGE');
});

test('depth 64 is accepted and depth 65 is not', () => {
  expect(codeOf('['.repeat(64) + ']'.repeat(64))).toBe('accepted');
  expect(codeOf('['.repeat(65) + ']'.repeat(65))).toBe('JSON_TOO_DEEP');
  expect(codeOf(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`)).toBe('JSON_TOO_DEEP');
});

test('a string of 256 KiB is accepted and one byte more is not, counted in UTF-8', () => {
  const limit = 256 * 1024;
  expect(codeOf(`"${'a'.repeat(limit)}"`)).toBe('accepted');
  expect(codeOf(`"${'a'.repeat(limit + 1)}"`)).toBe('JSON_STRING_TOO_LONG');
  expect(codeOf(`"${'€'.repeat(limit / 3 + 1)}"`)).toBe('JSON_STRING_TOO_LONG');
  expect(codeOf(`"${'\u{1f600}'.repeat(limit / 4)}"`)).toBe('accepted');
  expect(codeOf(`"${'\u{1f600}'.repeat(limit / 4)}a"`)).toBe('JSON_STRING_TOO_LONG');
  expect(codeOf(`"${'\\u0061'.repeat(limit + 1)}"`)).toBe('JSON_STRING_TOO_LONG');
});

test('size and number of values are limited', () => {
  expect(codeOf('[1,2,3]', { maxBytes: 6 })).toBe('JSON_TOO_LARGE');
  expect(codeOf('[1,2,3]', { maxValues: 3 })).toBe('JSON_TOO_MANY_VALUES');
});

test('an object has at most 1024 fields', () => {
  const withFields = (count: number) => `{${Array.from({ length: count }, (_, i) => `"f${i}":0`).join(',')}}`;
  expect(codeOf(withFields(1024))).toBe('accepted');
  expect(codeOf(withFields(1025))).toBe('JSON_TOO_MANY_VALUES');
  expect(codeOf(`[${withFields(1024)},${withFields(1024)}]`)).toBe('accepted');
});

test('a quotation mark ends a string unless it is escaped', () => {
  for (const text of ['["\\\\","a"]', '"\\""', '"\\\\\\""', '"a\\\\"']) expect(parse(text)).toEqual(JSON.parse(text));
  for (const text of ['"\\"', '"\\\\\\"', '"a\\\\" "']) expect(codeOf(text)).toMatch(/^JSON_(SYNTAX|TRAILING_TOKEN)$/);
});

const filled = (unit: string, each: number) =>
  `["${Array.from({ length: Math.floor(8_000_000 / (unit.length * each)) }, () => unit.repeat(each)).join('","')}"]`;
const many = (count: number, item: (i: number) => string) => Array.from({ length: count }, (_, i) => item(i)).join(',');

test.each([
  ['spaces', `${' '.repeat(8_000_000)}1`],
  ['digits', '1'.repeat(8_000_000)],
  ['escaped letters', filled('\\u0061', 40_000)],
  ['backslashes', filled('\\\\', 100_000)],
  ['quotation marks', filled('\\"', 100_000)],
  ['a string without an end', `"${'\\"'.repeat(4_000_000)}`],
  ['short strings', `[${many(250_000, () => '"abcdefghijklmnopqrstuvwxyz"')}]`],
  ['small objects', `[${many(250_000, i => `{"a${i}":1}`)}]`],
  ['small lists', `[${many(250_000, () => '[[]]')}]`],
  ['one object', `{${many(250_000, i => `"k${i}":1`)}}`],
  ['an object with numbers for names', `{${many(250_000, i => `"${(i * 2_654_435_761) % 4_294_967_295}":1`)}}`],
])('eight megabytes of %s are parsed or rejected in linear time', (_, text) => {
  const bytes = toUtf8(text);
  const before = process.threadCpuUsage();
  codeOf(bytes);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(10); // linear: 0.1 seconds; quadratic: hours
});

test('ten megabytes of brackets are rejected at once', () => {
  expect(codeOf(new Uint8Array(10_000_000).fill(0x5b), { maxBytes: 20_000_000 })).toBe('JSON_TOO_DEEP');
});

test('an error message never contains the text', () => {
  const secret = 'kilimanjaro';
  for (const text of [`{"${secret}":1,"${secret}":2}`, `${secret}`, `["${secret}" x]`]) {
    expect(() => parse(text)).toThrow(expect.not.objectContaining({ message: expect.stringContaining(secret) }));
  }
});
