// Canonical JSON of RFC 8785: order of members, numbers, escapes, absent values, cycles.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, type JsonValue, withoutNulls } from './canonical-json.ts';

test('members are sorted by UTF-16 code units, as in the sorting example of RFC 8785', () => {
  const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
  const order = [...canonicalJson(value).matchAll(/:(\d)/g)].map(match => match[1]).join('');
  expect(order).toBe('2467153');
});

test('numbers are written as in ECMAScript', () => {
  expect(canonicalJson([Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27, -0, 1e21, 123456789012345680000])).toBe(
    '[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,123456789012345680000]',
  );
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) expect(() => canonicalJson(bad)).toThrow(RangeError);
});

test('strings escape only required characters, in lowercase', () => {
  expect(canonicalJson('\u20ac$\u000f\nA\'B"\\"/\u007f')).toBe('"€$\\u000f\\nA\'B\\"\\\\\\"/\u007f"');
  expect(() => canonicalJson('\ud800')).toThrow(RangeError);
  expect(() => canonicalJson({ '\udc00': 1 })).toThrow(RangeError);
});

test('an undefined member is absent, an undefined item is an error', () => {
  expect(canonicalJson({ a: undefined, b: null })).toBe('{"b":null}');
  const holes = [1];
  holes.length = 2;
  expect(() => canonicalJson(holes)).toThrow(TypeError);
});

test('a cycle is rejected with a RangeError', () => {
  const loop: Record<string, JsonValue> = {};
  loop.self = loop;
  expect(() => canonicalJson(loop)).toThrow(RangeError);
});

test('null members of a database row are omitted', () => {
  expect(withoutNulls({ a: null, b: undefined, c: 0, d: '' })).toEqual({ c: 0, d: '' });
});

test('the canonical form has the same value and is a fixed point', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'small' }), value => {
      let text: string;
      try {
        text = canonicalJson(value as JsonValue);
      } catch (error) {
        // Only text that UTF-8 cannot carry may be refused.
        expect(error).toBeInstanceOf(RangeError);
        return;
      }
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});
