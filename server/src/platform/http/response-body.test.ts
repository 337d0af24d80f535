import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { endpoint } from '@recordproof/shared/api/endpoint.ts';
import { expect, test } from 'vitest';
import { toBytes } from '../../../../test/support/bytes.ts';
import { openDoor } from '../../../../test/support/http.ts';
import { plainRoute } from './route.ts';

const load = endpoint('load', {
  feature: 'test',
  summary: 'for this test',
  rate: 'other',
  method: 'GET',
  path: '/load',
  access: 'anonymous',
  answerForm: 'bytes',
});

const blockBytes = 256 * 1024;
const blockCount = 64; // more than the system takes at once

async function ask(url: string): Promise<IncomingMessage> {
  const [answer] = await once(get(`${url}/load`, { agent: false }), 'response');
  return answer;
}

const openWith = (blocks: readonly Uint8Array[], ownsBlocks: boolean) =>
  openDoor([plainRoute(load, () => ({ body: Readable.from(blocks, { objectMode: false }), ownsBlocks }))]);

const newBlocks = () => Array.from({ length: blockCount }, (_, at) => Buffer.alloc(blockBytes, at));
const isFreed = ({ byteLength }: Uint8Array): boolean => byteLength === 0;

test('blocks that nobody else holds are freed once they are out, and not before: a late reader gets every byte', async () => {
  const blocks = newBlocks();
  const whole = Buffer.concat(blocks);
  await using door = await openWith(blocks, true);
  const answer = await ask(door.url);
  await expect.poll(() => blocks.filter(isFreed).length).toBeGreaterThan(0);
  expect(isFreed(blocks.at(-1) as Buffer)).toBe(false);
  expect((await toBytes(answer)).equals(whole)).toBe(true);
  await expect.poll(() => blocks.every(isFreed)).toBe(true);
});

test('blocks that somebody else may hold are left alone', async () => {
  const blocks = newBlocks();
  await using door = await openWith(blocks, false);
  await toBytes(await ask(door.url));
  expect(blocks.some(isFreed)).toBe(false);
});

test('a reader that breaks off leaves no block behind that was on its way, and a server that goes on', async () => {
  const blocks = newBlocks();
  const given = [blocks, []];
  await using door = await openDoor([
    plainRoute(load, () => ({ body: Readable.from(given.shift() ?? [], { objectMode: false }), ownsBlocks: true })),
  ]);
  (await ask(door.url)).destroy();
  await expect.poll(() => isFreed(blocks[0] as Buffer)).toBe(true);
  expect((await toBytes(await ask(door.url))).length).toBe(0);
});
