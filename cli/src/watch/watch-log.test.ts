// Log of a watched folder: open calls, truncated, damaged and overlong lines, and the stability of files.
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Memory } from './memory.ts';
import { type Seen, StableFiles } from './scan-folder.ts';
import { openWatchLog, readLog } from './watch-log.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-watch-log-'));
  file = join(folder, 'log.ndjson');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const content = { contentHash: `sha256:${'a'.repeat(64)}`, revision: '1-5-7-7' };
const sending = (path: string) => ({ event: 'sending', path, size: 5, requestId: 'call', ...content }) as const;
const stored = (path: string, fileId: string) =>
  ({ event: 'stored', path, requestId: 'call', fileId, fileHash: 'b'.repeat(64), version: 1, ...content }) as const;

async function append(...events: Parameters<Awaited<ReturnType<typeof openWatchLog>>['append']>[0]): Promise<Memory> {
  const memory = new Memory();
  await using log = await openWatchLog(file, line => memory.take(line));
  await log.append(events);
  return memory;
}

test('notes are read again: a call stays open until each of its files is done', async () => {
  await append(sending('a'), sending('b'), stored('a', '1'));
  const halfWay = await append();
  expect([...(halfWay.calls.get('call')?.ended ?? [])]).toEqual(['a']);
  expect([...halfWay.unproved]).toEqual(['1']);
  const end = await append({ event: 'not-stored', path: 'b', revision: '', requestId: 'call', why: 'too large' });
  expect(end.calls.size).toBe(0);
});

test('a truncated line is removed, and the next one continues the chain', async () => {
  await append(sending('a'));
  await appendFile(file, '{"number":2,"time":"2026-');
  await append(stored('a', '1'));
  const lines: number[] = [];
  const { bytes } = await readLog(file, ({ number }) => lines.push(number));
  expect(lines).toEqual([1, 2]);
  expect(bytes).toBe((await readFile(file)).length);
});

test('a long line is read, and one without an end is no reason to cut off the lines behind it', async () => {
  await append({ event: 'waiting', why: 'x'.repeat(200_000) }, stored('a', '1'));
  expect([...(await append()).unproved]).toEqual(['1']);
  const whole = await readFile(file);
  const line = Buffer.alloc(1_500_000, 'x');
  await writeFile(file, Buffer.concat([whole, line, Buffer.from('\n'), whole]));
  await expect(append()).rejects.toThrow('line 3 was altered or damaged');
  expect((await readFile(file)).length).toBe(2 * whole.length + line.length + 1);
});

test('a line that is too long is damaged, and neither shortened nor appended to', async () => {
  await append({ event: 'waiting', why: 'x'.repeat(1_500_000) });
  const { length } = await readFile(file);
  await expect(append(sending('a'))).rejects.toThrow('line 1 was altered or damaged');
  expect((await readFile(file)).length).toBe(length);
});

test('a changed, removed or inserted line is an error', async () => {
  await append(sending('a'), stored('a', '1'), { event: 'gone', path: 'a' });
  const whole = await readFile(file, 'utf8');
  const [first = '', second = '', third = ''] = whole.split('\n');
  const damaged = [
    whole.replace('"version":1', '"version":2'),
    `${first}\n${third}\n`,
    `${first}\n${second}\n${second}\n${third}\n`,
    `${first}\nnonsense\n`,
  ];
  for (const text of damaged) {
    await writeFile(file, text);
    await expect(readLog(file, () => undefined)).rejects.toThrow(/line [23] was altered or damaged/);
  }
});

test('a file that can be read again, with the content that is stored, is no longer left out', async () => {
  const { revision } = content;
  const unreadable = { event: 'left-out', path: 'a', revision, why: 'it may not be read' } as const;
  const { files } = await append(sending('a'), stored('a', '1'), unreadable, { event: 'same', path: 'a', revision });
  expect(files.get('a')).toEqual({ ...content, stored: { fileId: '1', version: 1 }, isGone: false });
});

test('a file is stable once it was unchanged for long enough', () => {
  const stableFiles = new StableFiles(5000);
  const seen = (revision: string): Seen => ({ path: 'a', diskPath: 'a', identity: '', revision, size: 1 });
  expect(stableFiles.choose([seen('1')], 0)).toEqual([]);
  expect(stableFiles.choose([seen('2')], 4000)).toEqual([]);
  expect(stableFiles.choose([seen('2')], 8000)).toEqual([]);
  expect(stableFiles.choose([seen('2')], 9000)).toHaveLength(1);
  expect(stableFiles.choose([], 10_000)).toEqual([]);
  expect(stableFiles.choose([seen('2')], 11_000)).toEqual([]);
});
