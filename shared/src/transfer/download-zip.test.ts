// Downloads of ZIPs into a sink that counts: their announced size, and ZIPs that are larger than what the sink can hold.
import { expect, test } from 'vitest';
import type { Client } from '../api/client.ts';
import { filesBytesHeader } from '../api/folders.ts';
import { downloadZip } from './download-zip.ts';
import type { Sink } from './ports.ts';
import type { Progress } from './progress.ts';

type Sent = {
  readonly headers: Record<string, string>;
  readonly blocks: readonly number[];
  readonly mostBytes?: number;
};

/** Downloads blocks of these lengths. */
async function download({ headers, blocks, ...limit }: Sent) {
  const seen = { kept: 0, events: [] as string[], progress: [] as Progress[] };
  const left = [...blocks];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(stream) {
        const next = left.shift();
        if (next === undefined) stream.close();
        else stream.enqueue(new Uint8Array(next));
      },
      cancel: () => void seen.events.push('response cancelled'),
    },
    { highWaterMark: 0 },
  );
  const client = { open: async () => new Response(body, { headers }) } as unknown as Pick<Client, 'open'>;
  const sink = {
    truncate: async () => undefined,
    write: async (block: Uint8Array) => {
      seen.kept += block.length;
    },
    commit: async () => void seen.events.push('saved'),
    discard: async () => void seen.events.push('discarded'),
    [Symbol.asyncDispose]: async () => undefined,
  } as Partial<Sink> as Sink;
  const isWhole = await downloadZip(
    {
      ...{ content: { kind: 'folder', path: 'a' }, size: 0, ...limit },
      ...{ openSink: async () => sink, signal: new AbortController().signal },
      onProgress: one => seen.progress.push(one),
    },
    { client },
  );
  const totals = [...new Set(seen.progress.map(one => one.totalBytes))];
  return { isWhole, ...seen, totals };
}

test.each([
  ['its length', { 'content-length': '70', [filesBytesHeader]: '60' }, [70]],
  ['the bytes of its files', { [filesBytesHeader]: '60' }, [60, 70]],
])('the total of a ZIP is %s, and never less than what has arrived', async (_, headers, totals) => {
  const ended = await download({ headers, blocks: [40, 30] });
  expect(ended).toMatchObject({ isWhole: true, kept: 70, totals, events: ['saved'] });
});

const abandoned = ['response cancelled', 'discarded'];

test('a ZIP announced as larger than the sink can hold is not read', async () => {
  const ended = await download({ headers: { [filesBytesHeader]: '60' }, blocks: [40, 30], mostBytes: 50 });
  expect(ended).toMatchObject({ isWhole: false, kept: 0, events: abandoned });
});

test('a ZIP that proofs make larger than the sink can hold is discarded', async () => {
  const ended = await download({ headers: { [filesBytesHeader]: '60' }, blocks: [40, 30, 40], mostBytes: 65 });
  expect(ended).toMatchObject({ isWhole: false, kept: 70, events: abandoned });
});
