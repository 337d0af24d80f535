// Shape checks for parsed records: known fields, exact integers, path segments.
import { expect, test } from 'vitest';
import { toUtf8 } from './digest.ts';
import { parseStrictJson } from './strict-json.ts';
import { arrayOf, digestText, integer, nullable, objectOf, oneOf, ShapeError, text, urlName } from './strict-shape.ts';

const read = objectOf(
  { kind: oneOf('A', 'B'), count: integer(1, 9), list: arrayOf(text(/^x+$/, 'x'), 0, 2) },
  { note: nullable(digestText) },
);
const parse = (json: string) => read(parseStrictJson(toUtf8(json)), '');

test('a record of the right shape is returned with its known fields only', () => {
  expect(parse('{"kind":"B","count":3,"list":["x"]}')).toEqual({ kind: 'B', count: 3, list: ['x'] });
  expect(parse('{"kind":"A","count":3,"list":[],"note":null}').note).toBeNull();
});

test.each([
  ['an unknown field', '{"kind":"A","count":1,"list":[],"kilimanjaro":1}', 'the document has an unknown field'],
  ['an inherited name', '{"kind":"A","count":1,"list":[],"toString":1}', 'the document has an unknown field'],
  ['a missing field', '{"kind":"A","list":[]}', 'count is missing'],
  ['another type', '[]', 'the document must be an object'],
  ['a number as text', '{"kind":"A","count":"1","list":[]}', 'count must be a whole number from 1 to 9'],
  ['a fraction', '{"kind":"A","count":1.5,"list":[]}', 'count must be a whole number from 1 to 9'],
  ['a list that is too long', '{"kind":"A","count":1,"list":["x","x","x"]}', 'list must have 0 to 2 items'],
  ['a bad item', '{"kind":"A","count":1,"list":["x","y"]}', 'list[1] must be x'],
  ['null in a required field', '{"kind":null,"count":1,"list":[]}', 'kind must be A or B'],
])('%s is rejected without repeating it', (_, json, message) => {
  expect(() => parse(json)).toThrow(new ShapeError('', '').constructor as typeof ShapeError);
  expect(() => parse(json)).toThrow(message);
});

test('an integer that lost precision is rejected', () => {
  expect(() => integer(0)(Number('9007199254740993'), 'n')).toThrow(ShapeError);
});

test('minus zero is accepted as zero: its spelling is checked by the canonical form', () => {
  expect(integer(0)(-0, 'n') === 0).toBe(true);
  expect(() => integer(1)(-0, 'n')).toThrow(ShapeError);
});

test('names for URL paths are single segments', () => {
  for (const bad of ['.', '..', 'a/b', 'a%2f', '', ' a', 'a'.repeat(129)])
    expect(() => urlName(bad, 'n')).toThrow(ShapeError);
  expect(urlName('MB-17', 'n')).toBe('MB-17');
});
