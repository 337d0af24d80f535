// Multipart parser: split input, skipped files, encoded names, malformed and too large forms.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { type FormPart, parseBoundary, readMultipart } from './multipart.ts';
import { freeBlock } from './whole-block.ts';

type Read = { name: string; value: string; fileName?: string };

const boundary = 'xYzZY';
const field = (name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, fileName: string, content: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n`;
const end = `--${boundary}--\r\n`;

/** Each piece has its memory to itself, as what the network brings. */
async function* inPieces(text: string, sizes: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text, 'latin1');
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    yield Buffer.from(Uint8Array.from(bytes.subarray(at, at + size)).buffer);
    at += size;
  }
}

async function toRead(part: FormPart): Promise<Read> {
  if (part.kind === 'field') return { name: part.name, value: part.value };
  const blocks: Buffer[] = [];
  for await (const block of part.body) {
    blocks.push(Buffer.from(block));
    freeBlock(block); // as whoever takes it may
  }
  return { name: part.name, fileName: part.fileName, value: Buffer.concat(blocks).toString('latin1') };
}

async function readAll(text: string, sizes: readonly number[] = [65_536]): Promise<Read[]> {
  const parts: Read[] = [];
  for await (const part of readMultipart(inPieces(text, sizes), boundary)) parts.push(await toRead(part));
  return parts;
}

test('fields and files are parsed unchanged, however the input is split', async () => {
  const content = fc.string({ unit: fc.constantFrom('\r', '\n', '-', 'x', 'Y', 'z', 'Z', 'a'), maxLength: 200 });
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(content, content, sizes, async (first, second, cut) => {
      fc.pre(!first.includes(`\r\n--${boundary}`) && !second.includes(`\r\n--${boundary}`));
      const form = field('chunkNumber', '7') + file('chunk', 'a.bin', first) + file('other', 'b.bin', second) + end;
      expect(await readAll(form, cut)).toEqual([
        { name: 'chunkNumber', value: '7' },
        { name: 'chunk', fileName: 'a.bin', value: first },
        { name: 'other', fileName: 'b.bin', value: second },
      ]);
    }),
    { numRuns: 300 },
  );
});

test('a file that is not read is skipped', async () => {
  const names: string[] = [];
  const form = file('chunk', 'a.bin', 'ignored') + field('after', '1') + end;
  for await (const part of readMultipart(inPieces(form, [5]), boundary)) names.push(part.name);
  expect(names).toEqual(['chunk', 'after']);
});

test('names with quotes and characters of any script are decoded', async () => {
  const head = (disposition: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\nx\r\n${end}`;
  expect((await readAll(head('name="f"; filename="a%22b.txt"')))[0]?.fileName).toBe('a"b.txt');
  expect((await readAll(head('name="f"; filename="x"; filename*=UTF-8\'\'%E6%96%87.txt')))[0]?.fileName).toBe('文.txt');
});

const part = (head: string, content = 'x') => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`;
const disposition = 'Content-Disposition: form-data';

test.each([
  ['name="f"; filename="a; filename*=UTF-8\'\'b.txt"', "a; filename*=UTF-8''b.txt"],
  ['name="f"; filename="a; name=g"', 'a; name=g'],
  ['filename="a; name=g"; name="f"', 'a; name=g'],
  ['name=f; filename=a.txt;', 'a.txt'],
])('text that looks like a parameter within a name is part of the name: %s', async (parameters, fileName) => {
  const [read] = await readAll(part(`${disposition}; ${parameters}`) + end);
  expect(read).toMatchObject({ name: 'f', fileName });
});

test.each([
  ['a duplicate field', field('a', '1') + field('b', '2') + field('a', '1'), 'the field a occurs twice'],
  ['a duplicate parameter', part(`${disposition}; name="f"; filename="a"; filename="b"`), 'in one way only'],
  ['a duplicate header', part(`${disposition}; name="f"\r\n${disposition}; name="g"`), 'two headers'],
  ['an unterminated parameter', part(`${disposition}; name="f"; filename="a`), 'in one way only'],
  ['a name that is not UTF-8', file('f', 'a\xff.txt', 'x'), 'the header of a part is not UTF-8'],
  ['a field that is not UTF-8', field('a', '\xed\xa0\x80'), 'the field a is not UTF-8'],
])('%s is rejected as ambiguous', async (_what, form, sentence) => {
  await expect(readAll(form + end)).rejects.toThrow(sentence);
});

test('a truncated, unterminated or too large form is rejected', async () => {
  const whole = field('a', '1') + file('f', 'n', 'content') + end;
  for (let length = 0; length < whole.length - 4; length += 1) {
    await expect(readAll(whole.slice(0, length))).rejects.toBeInstanceOf(ApiError);
  }
  await expect(readAll(field('a', 'x'.repeat(9000)) + end)).rejects.toThrow('the field a is too long');
  const forty = Array.from({ length: 40 }, (_, at) => field(`a${at}`, '1')).join('');
  await expect(readAll(forty + end)).rejects.toThrow('too many parts');
  await expect(readAll(`--${boundary}\r\nX: ${'y'.repeat(9000)}\r\n\r\n`)).rejects.toThrow(
    'header of a part is too long',
  );
});

test('the boundary is read from the content type, quoted or not', () => {
  expect(parseBoundary('multipart/form-data; boundary=abc')).toBe('abc');
  expect(parseBoundary('multipart/form-data; charset=utf-8; boundary="a b"')).toBe('a b');
  for (const wrong of ['application/json', 'multipart/form-data', 'multipart/form-data; boundary=a; boundary=b'])
    expect(() => parseBoundary(wrong)).toThrow(ApiError);
  expect(() => parseBoundary(`multipart/form-data; boundary=${'b'.repeat(71)}`)).toThrow(ApiError);
  expect(() => parseBoundary(undefined)).toThrow(ApiError);
});
