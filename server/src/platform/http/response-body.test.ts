// Response bodies in blocks: freeing of blocks, disconnected clients, and pipelined requests.
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { endpoint } from '@recordproof/shared/api/endpoint.ts';
import { expect, test } from 'vitest';
import { toBytes } from '../../../../test/support/bytes.ts';
import { openTestHttp } from '../../../../test/support/http.ts';
import { openRaw } from '../../../../test/support/raw-http.ts';
import { waitForTurn } from './response-body.ts';
import { plainRoute } from './route.ts';

const load = endpoint('load', {
  feature: 'test',
  summary: 'for this test',
  rate: 'other',
  route: 'GET /load',
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
  openTestHttp([plainRoute(load, () => ({ body: Readable.from(blocks, { objectMode: false }), ownsBlocks }))]);

const newBlocks = () => Array.from({ length: blockCount }, (_, at) => Buffer.alloc(blockBytes, at));
const isFreed = ({ byteLength }: Uint8Array): boolean => byteLength === 0;

test('owned blocks are freed after they were sent, and a late client gets every byte', async () => {
  const blocks = newBlocks();
  const whole = Buffer.concat(blocks);
  await using context = await openWith(blocks, true);
  const answer = await ask(context.url);
  await expect.poll(() => blocks.filter(isFreed).length).toBeGreaterThan(0);
  expect(isFreed(blocks.at(-1) as Buffer)).toBe(false);
  expect((await toBytes(answer)).equals(whole)).toBe(true);
  await expect.poll(() => blocks.every(isFreed)).toBe(true);
});

test('blocks that are not owned are not freed', async () => {
  const blocks = newBlocks();
  await using context = await openWith(blocks, false);
  await toBytes(await ask(context.url));
  expect(blocks.some(isFreed)).toBe(false);
});

test('a client that disconnects causes its blocks to be freed, and the server continues', async () => {
  const blocks = newBlocks();
  const given = [blocks, []];
  await using context = await openTestHttp([
    plainRoute(load, () => ({ body: Readable.from(given.shift() ?? [], { objectMode: false }), ownsBlocks: true })),
  ]);
  (await ask(context.url)).destroy();
  await expect.poll(() => isFreed(blocks[0] as Buffer)).toBe(true);
  expect((await toBytes(await ask(context.url))).length).toBe(0);
});

test('pipelined requests start one after the other, and none starts for a disconnected client', async () => {
  let begun = 0;
  let ended = 0;
  const gate = Promise.withResolvers<void>();
  async function* slowBody() {
    begun += 1;
    yield Buffer.from('first');
    await gate.promise;
    yield Buffer.from('last');
  }
  const answer = ({ signal }: { readonly signal: AbortSignal }) => {
    signal.addEventListener('abort', () => {
      ended += 1;
    });
    return { body: Readable.from(slowBody()) };
  };
  await using context = await openTestHttp([plainRoute(load, answer)]);
  const threeTimes = 'GET /load HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3);
  using patient = await openRaw(context.url);
  patient.send(threeTimes);
  await patient.until('first');
  {
    using leaving = await openRaw(context.url);
    leaving.send(threeTimes);
    await leaving.until('first');
  }
  await expect.poll(() => ended).toBe(1);
  expect(begun).toBe(2);
  gate.resolve();
  await expect.poll(() => patient.text().split('last').length - 1).toBe(3);
  await (await fetch(`${context.url}/load`)).text();
  expect(begun).toBe(5); // three, one for whoever left, and this one
});

test('waiting for the turn of a disconnected client is rejected', async () => {
  const answers: ServerResponse[] = [];
  const server = createServer((_request, response) => void answers.push(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  {
    using leaving = await openRaw(`http://127.0.0.1:${port}`);
    leaving.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
    await expect.poll(() => answers.length).toBe(2);
  }
  const [, second] = answers;
  if (!second) throw new Error('there is no second answer');
  await expect.poll(() => second.destroyed).toBe(true);
  await expect(waitForTurn(second)).rejects.toThrow('the connection was lost before all bytes arrived');
  server.close();
});
