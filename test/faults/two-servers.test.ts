// Isolation of two servers in one process: closing one leaves nothing behind and does not affect the other.
import { createHook } from 'node:async_hooks';
import { readdir, readlink } from 'node:fs/promises';
import * as api from '@recordproof/shared/api/upload-sessions.ts';
import { expect, test, vi } from 'vitest';
import type { Person } from '../support/app.ts';
import { startApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { cut, digestOf, putPart, toPlan } from '../support/uploads.ts';

const chunkSize = 8 * 1024 * 1024;

/** Threads, timers, servers and connections, by the runtime's names. */
const watched = /^(WORKER|MESSAGEPORT|Timeout|TCP|PIPE|FSEVENT)/;
/** Excluded: the test's client and the test itself. */
const ofTheTest = /internal\/deps\/undici|Object\.waitFor/;

/** Resources that were opened since and are not closed. */
function watchResources() {
  const open = new Map<number, string>();
  const init = (id: number, type: string): void => {
    const { stack = '' } = new Error(type);
    if (watched.test(type) && !ofTheTest.test(stack)) open.set(id, stack);
  };
  const hook = createHook({ init, destroy: id => void open.delete(id) }).enable();
  return { open, [Symbol.dispose]: () => void hook.disable() };
}

/** Open files of this process below the folder. */
async function listOpenFiles(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const paths = await Promise.all(descriptors.map(name => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return paths.filter(path => path.startsWith(folder));
}

/** Large enough to be read ahead during the transfer; the last chunk is not sent. */
async function begin(person: Person) {
  const bytes = await pattern(2 * chunkSize + 1000);
  const { clientId } = await person.call(api.createUploadSession, { body: toPlan(bytes, { chunkSize }) });
  for (const index of [0, 1]) await putPart(person, clientId, index, cut(bytes, chunkSize, index));
  const finish = async () => {
    await putPart(person, clientId, 2, cut(bytes, chunkSize, 2));
    return person.call(api.completeUploadSession, { params: { clientId } });
  };
  return { finish, contentHash: digestOf(bytes) };
}

test('a server that closes during an upload releases its resources, and the other one completes its own', async () => {
  await using staying = await startApp();
  const ada = await staying.person('ada');
  const { finish, contentHash } = await begin(ada);
  using resources = watchResources();
  const leaving = await startApp();
  await begin(await leaving.person('bob'));
  const { underWay } = leaving.app.server;
  expect([underWay.keys.size, underWay.readings.size]).toEqual([1, 1]);
  expect([...resources.open.values()].filter(stack => stack.includes('WORKER'))).not.toEqual([]);
  expect(await listOpenFiles(leaving.folder)).not.toEqual([]);
  await leaving[Symbol.asyncDispose]();
  expect([underWay.keys.size, underWay.readings.size, underWay.reportedAt.size]).toEqual([0, 0, 0]);
  await vi.waitFor(() => expect([...resources.open.values()]).toEqual([]), { timeout: 120_000 });
  expect(await listOpenFiles(leaving.folder)).toEqual([]);
  expect(await finish()).toMatchObject({ contentHash });
});
