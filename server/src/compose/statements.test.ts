// Bounds on the SQL statements of frequent calls, including authentication, audit rows and quotas.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { getFile, listFiles } from '@recordproof/shared/api/files.ts';
import { getProofStatus } from '@recordproof/shared/api/proofs.ts';
import { openShare } from '@recordproof/shared/api/share-access.ts';
import { afterAll, expect, test } from 'vitest';
import { type Person, startApp } from '../../../test/support/app.ts';
import { exportProof, laptop } from '../../../test/support/real-proofs.ts';
import { share } from '../../../test/support/shares.ts';
import { countStatements } from '../../../test/support/statement-count.ts';
import { sendFile } from '../../../test/support/uploads.ts';
import type { Engine } from '../platform/db/open-db.ts';

/** Of the request that a statement belongs to; closed with its answer. Background work has none. */
const request = new AsyncLocalStorage<{ isOpen: boolean }>();
const openRequests = new WeakMap<object, { isOpen: boolean }>();
subscribe('http.server.request.start', message => {
  const opened = { isOpen: true };
  openRequests.set((message as { request: object }).request, opened);
  request.enterWith(opened);
});
subscribe('http.server.response.finish', message => {
  const opened = openRequests.get((message as { request: object }).request);
  if (opened) opened.isOpen = false;
});

const counted = countStatements(() => request.getStore()?.isOpen === true);
const app = await startApp({ env: laptop });
afterAll(() => app[Symbol.asyncDispose]());

const alice = await app.person('alice');
const store = async (person: Person) => (await sendFile(person, randomBytes(2000))).data;
const { fileId, fileHash } = await store(alice);
await store(alice);
await app.drain();
const { shareCode: code } = await share(alice, fileHash);

const read = async (path: string) => {
  const response = await alice.fetch(path);
  expect(response.status).toBe(200);
  await response.arrayBuffer();
};

const isBracket = (text: string): boolean => /^(begin|commit|start transaction)/i.test(text);

/** `brackets`: what begins and ends transactions. */
type Cost = { readonly brackets: number; readonly texts: readonly string[] };

/** Of the second call: the first fills what is cached. */
async function costOf(call: () => Promise<unknown>): Promise<Cost> {
  await call();
  await app.drain();
  const before = new Map(counted.texts);
  await call();
  const asked = [...counted.texts].flatMap(([text, times]) => Array(times - (before.get(text) ?? 0)).fill(text));
  const texts = asked.filter(text => !isBracket(text));
  return { brackets: asked.length - texts.length, texts };
}

/** At most so many on each engine, and in transactions 2 brackets more. */
type Case = readonly [
  what: string,
  most: Readonly<Record<Engine, number>>,
  brackets: number,
  call: () => Promise<unknown>,
];

const cases: readonly Case[] = [
  ['list of files', { sqlite: 2, postgres: 2 }, 0, () => alice.call(listFiles, {})],
  ['one file', { sqlite: 1, postgres: 1 }, 0, () => alice.call(getFile, { params: { hash: fileHash } })],
  ['download', { sqlite: 2, postgres: 2 }, 0, () => read(`/api/v1/files/${fileHash}/download`)],
  ['create a share', { sqlite: 9, postgres: 6 }, 2, () => share(alice, fileHash)],
  ['open a share', { sqlite: 3, postgres: 3 }, 2, () => app.anonymous.call(openShare, { params: { code }, body: {} })],
  ['proof status', { sqlite: 2, postgres: 2 }, 0, () => alice.call(getProofStatus, { params: { id: fileId } })],
  ['proof archive', { sqlite: 2, postgres: 2 }, 0, () => exportProof(alice, fileId)],
  ['small upload', { sqlite: 16, postgres: 10 }, 2, () => store(alice)],
];

test.each(cases)('%s: the number of SQL statements is bounded', async (what, most, brackets, call) => {
  const cost = await costOf(call);
  if (process.env.PRINT_STATEMENTS)
    console.log([`${what}: ${cost.texts.length} + ${cost.brackets}`, ...cost.texts].join('\n  '));
  expect(cost.texts.length).toBeGreaterThan(0);
  expect.soft(cost.texts.length, cost.texts.join('\n')).toBeLessThanOrEqual(most[app.app.database.kind]);
  expect.soft(cost.brackets).toBeLessThanOrEqual(brackets);
});
