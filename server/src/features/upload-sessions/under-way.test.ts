// @module-tag long-on-postgres
// Cached state of uploads under way: kept while chunks arrive, dropped at every kind of end.
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { cut, digestOf, putPart, toPlan } from '../../../../test/support/uploads.ts';

const chunkSize = 8 * 1024 * 1024;
const hour = 3600_000;

let app: TestApp;
let ada: Person;
beforeAll(async () => {
  app = await startApp();
  ada = await app.person('ada');
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** How many uploads it knows the key of, has read ahead, has told of. */
const remembered = ({ app }: TestApp) => {
  const { keys, readings, reportedAt } = app.server.underWay;
  return [keys.size, readings.size, reportedAt.size];
};

/** Large enough to be read while it is on its way; the last chunk is not sent. */
async function begin(person: Person, contentHash?: string) {
  const bytes = await pattern(2 * chunkSize + 1000);
  const plan = toPlan(bytes, { chunkSize, ...(contentHash && { contentHash }) });
  const { clientId } = await person.call(sessionApi.createUploadSession, { body: plan });
  for (const index of [0, 1]) await putPart(person, clientId, index, cut(bytes, chunkSize, index));
  const finish = async () => {
    await putPart(person, clientId, 2, cut(bytes, chunkSize, 2));
    return person.call(sessionApi.completeUploadSession, { params: { clientId } });
  };
  return { clientId, finish, contentHash: digestOf(bytes) };
}

test('cached upload state is kept while chunks arrive, and dropped on completion', { tags: 'long' }, async () => {
  const { finish, contentHash } = await begin(ada);
  expect(remembered(app)).toEqual([1, 1, 1]);
  expect(await finish()).toMatchObject({ contentHash });
  expect(remembered(app)).toEqual([0, 0, 0]);
});

test('cached upload state is dropped on cancellation', async () => {
  const { clientId } = await begin(ada);
  await ada.call(chunkedApi.cancelUpload, { body: { clientId } });
  expect(remembered(app)).toEqual([0, 0, 0]);
});

test('cached upload state is dropped on permanent failure', async () => {
  const { finish } = await begin(ada, `sha256:${'0'.repeat(64)}`);
  await expect(finish()).rejects.toMatchObject({ kind: 'DATA_IS_WRONG' });
  expect(remembered(app)).toEqual([0, 0, 0]);
});

test('cached upload state is dropped on expiry', async () => {
  await begin(ada);
  app.clock.advance(app.config.uploads.sessionHours * hour);
  await app.drain();
  expect(remembered(app)).toEqual([0, 0, 0]);
});

test('closing a server drops its upload state, and not that of another in the process', { tags: 'long' }, async () => {
  const other = await startApp();
  await begin(await other.person('bob'));
  const { finish, contentHash } = await begin(await app.person('zoe'));
  expect([remembered(app), remembered(other)]).toEqual([
    [1, 1, 1],
    [1, 1, 1],
  ]);
  await other[Symbol.asyncDispose]();
  expect([remembered(app), remembered(other)]).toEqual([
    [1, 1, 1],
    [0, 0, 0],
  ]);
  expect(await finish()).toMatchObject({ contentHash });
});
