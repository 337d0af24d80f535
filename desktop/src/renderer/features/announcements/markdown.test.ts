// Parser of the Markdown subset of announcements: blocks, emphasis, markup kept as text.
import { expect, test } from 'vitest';
import { parseMarkdown, toSpans } from './markdown.ts';

const kindsOf = (text: string) => parseMarkdown(text).map(({ kind }) => kind);

test('headings, paragraphs, lists and code are recognized', () => {
  const text = '# Title\nOne line\nand another\n\n- first\n- second\n1. third\n```sh\nrm -rf *\n```\nThe end';
  expect(kindsOf(text)).toEqual(['heading', 'paragraph', 'list', 'list', 'code', 'paragraph']);
  expect(parseMarkdown(text).at(-2)).toEqual({ kind: 'code', text: 'rm -rf *' });
  expect(kindsOf('')).toEqual([]);
  expect(kindsOf('```\nwithout an end')).toEqual(['code']);
});

test('emphasis requires markers beside words', () => {
  expect(toSpans('a **b** *c* `d` e')).toEqual([
    { kind: 'text', text: 'a ' },
    { kind: 'strong', text: 'b' },
    { kind: 'text', text: ' ' },
    { kind: 'em', text: 'c' },
    { kind: 'text', text: ' ' },
    { kind: 'code', text: 'd' },
    { kind: 'text', text: ' e' },
  ]);
  expect(toSpans('2 * 3 * 4')).toEqual([{ kind: 'text', text: '2 * 3 * 4' }]);
});

test('markup, links and images remain text', () => {
  for (const text of ['<script>alert(1)</script>', '[a](javascript:alert(1))', '![x](https://example.org/x.png)'])
    expect(parseMarkdown(text)).toEqual([{ kind: 'paragraph', spans: [{ kind: 'text', text }] }]);
});

test('a text of only opening markers is read as text', () => {
  const spans = toSpans('*a '.repeat(6000) + '`'.repeat(2000));
  expect(spans.map(({ text }) => text.length).reduce((sum, length) => sum + length, 0)).toBeGreaterThan(6000);
});
