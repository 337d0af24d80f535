// Layout of tables on a terminal: shortened hashes and names, narrow and piped output, control characters.
import { expect, test } from 'vitest';
import { below, extra, hash, name, type Room, tableOf, words } from './table.ts';
import { toWidth } from './text-width.ts';

type Row = { readonly id: string; readonly digest: string; readonly title: string; readonly note: string };

const table = tableOf<Row>({
  ID: row => row.id,
  DIGEST: hash(row => row.digest),
  WHY: extra(row => row.note),
  NAME: name(row => row.title),
  NOTE: words(row => row.note),
});

const terminal = (columns: number): Room => ({ columns, isWide: false });
const digest = '0123456789abcdef'.repeat(4);
const rows: Row[] = [
  { id: '1', digest, title: `${'quarterly report of the whole company '.repeat(4)}.pdf`, note: 'n'.repeat(90) },
  { id: '1000', digest, title: '年度報告'.repeat(20), note: 'short' },
];

test.each([60, 80, 120])('a table fits into %i columns, with names in any script', columns => {
  const lines = table(rows)(terminal(columns)).split('\n');
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(toWidth(line)).toBeLessThanOrEqual(columns);
  expect(Math.max(...lines.map(toWidth))).toBeGreaterThan(columns - 3);
});

test('a hash is shortened to its usable prefix, and a cut name keeps both ends', () => {
  const [, first = ''] = table(rows)(terminal(80)).split('\n');
  expect(first).toMatch(/^1 {5}0123456789ab {2}quart.*….*\.pdf {2}n+…$/);
});

test('long names with equal ends stay distinct', () => {
  const months = ['January 2026', 'January 2027', 'March 2026', '三月'];
  const alike = months.map((month, at) => ({
    id: `${at}`,
    digest,
    title: `invoices/Invoice of the northern branch office for the month of ${month}, final version as sent.pdf`,
    note: '',
  }));
  for (const columns of [60, 70, 80]) {
    const [, ...lines] = table([...alike, ...alike.slice(0, 1)])(terminal(columns)).split('\n');
    expect(new Set(lines.slice(0, 4).map(line => line.slice(1))).size).toBe(4);
    expect(lines[4]).toBe(lines[0]);
    for (const line of lines) expect(toWidth(line)).toBeLessThanOrEqual(columns);
  }
});

test('a wide table shows everything, and output without a terminal is not cut', () => {
  const wide = table(rows)({ columns: Number.POSITIVE_INFINITY, isWide: true });
  for (const part of [digest, rows[0]?.title ?? '?', 'WHY']) expect(wide).toContain(part);
  const piped = table(rows)(terminal(Number.POSITIVE_INFINITY));
  expect(piped).toContain(rows[0]?.title);
  expect(piped).not.toContain(digest);
});

test('values that cannot be cut stay complete in a narrow terminal', () => {
  expect(table(rows)(terminal(10))).toContain('0123456789ab');
});

test('an empty table is no text, also between other parts', () => {
  expect(table([])(terminal(80))).toBe('');
  expect(below('head', table([]), 'foot')(terminal(80))).toBe('head\n\nfoot');
});

test('control characters are removed from values', () => {
  const odd = { id: '\u001b[2J', digest, title: 'a\nb', note: '' };
  expect(table([odd])(terminal(80)).split('\n')).toHaveLength(2);
  expect(table([odd])(terminal(80))).not.toContain('\u001b');
});
