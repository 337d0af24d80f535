// Notices to the owner of an upload: progress, the recorded file, and a permanent failure.
import type { StreamPayload } from '@recordproof/shared/api/events.ts';
import * as api from '@recordproof/shared/api/upload-sessions.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { type Listener, listen } from '../../../../test/support/event-streams.ts';
import { noticesOf } from '../../../../test/support/events.ts';
import { digestOf, putPart, sendProxied, toPlan } from '../../../../test/support/uploads.ts';

let app: TestApp;
let alice: Person;
let listener: Listener;

beforeAll(async () => {
  app = await startApp();
  alice = await app.person('alice');
  await app.person('bob');
});
afterAll(() => app?.[Symbol.asyncDispose]());
afterEach(() => listener?.[Symbol.dispose]());

const progressOf = ({ messages }: Listener): StreamPayload<'upload-progress'>[] =>
  messages.flatMap(message => (message.type === 'upload-progress' ? [message.payload] : []));

test('only the owner is notified of a recorded file', { tags: 'long-on-postgres' }, async () => {
  listener = await listen(alice);
  const clientId = await sendProxied(alice, await pattern(9000, 1), { name: 'report.pdf' });
  const answer = await alice.call(api.completeUploadSession, { params: { clientId } });
  const { fileId, fileHash, transactionHash, version } = answer;
  expect(await listener.until('file-recorded')).toMatchObject({
    id: expect.any(String),
    payload: { fileId, fileName: 'report.pdf', fileHash, version, transactionHash },
  });
  expect(await noticesOf(app, 'alice')).toHaveLength(1);
  expect(await noticesOf(app, 'bob')).toEqual([]);
});

test('upload progress is sent to the owner at most once a second, plus the last chunk, and not stored', async () => {
  listener = await listen(alice);
  const kept = (await noticesOf(app, 'alice')).length;
  const bytes = await pattern(10 * 4096, 2);
  const { clientId } = await alice.call(api.createUploadSession, { body: toPlan(bytes) });
  const put = (index: number) => putPart(alice, clientId, index, bytes.subarray(index * 4096, (index + 1) * 4096));
  for (let index = 0; index < 5; index += 1) await put(index);
  app.clock.advance(1000);
  for (let index = 5; index < 10; index += 1) await put(index);
  await listener.until('upload-progress', message => JSON.stringify(message).includes('"uploadedChunkCount":10'));
  expect(progressOf(listener)).toEqual(
    [1, 6, 10].map(count => ({
      clientId,
      status: 'UPLOADING',
      progress: count * 9,
      uploadedChunkCount: count,
      totalChunks: 10,
    })),
  );
  expect(listener.messages.filter(({ type }) => type === 'upload-progress').every(({ id }) => id === undefined)).toBe(
    true,
  );
  expect(await noticesOf(app, 'alice')).toHaveLength(kept);
});

test('the owner is notified of a permanent failure with its reason, and not of a retryable one', {
  tags: 'long-on-postgres',
}, async () => {
  listener = await listen(alice);
  const bytes = await pattern(9000, 3);
  const missing = await alice.call(api.createUploadSession, { body: toPlan(bytes) });
  await alice.expectError(api.completeUploadSession, { params: { clientId: missing.clientId } });
  const contentHash = digestOf(await pattern(9000, 4));
  const clientId = await sendProxied(alice, bytes, { contentHash, name: 'wrong.pdf' });
  const rejection = await alice.expectError(api.completeUploadSession, { params: { clientId } });
  expect(await listener.until('file-failed')).toMatchObject({
    payload: { clientId, fileName: 'wrong.pdf', reason: rejection.message },
  });
  expect(listener.messages.filter(({ type }) => type === 'file-failed')).toHaveLength(1);
});
