// The secret watch of the journeys detects secrets in logs, audit rows and job errors.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApp, testPassword } from '../support/app.ts';
import { startServerProcess } from '../support/server-process.ts';

test.each([
  ['a password', () => testPassword],
  ['a token', (token: string) => `refused ${token}`],
  ['a signature', () => `GET /objects/x?expires=1&signature=${'A'.repeat(43)}`],
])('%s in the server log fails a test', async (_what, toLine) => {
  const app = await startApp();
  const ada = await app.person('ada');
  app.app.server.log.info(toLine(ada.token ?? ''));
  await expect(app[Symbol.asyncDispose]()).rejects.toThrow('has to be kept secret');
});

test.each([
  ['a password', `process.stderr.write('login of alice with correct horse battery\\n')`],
  ['a token', `process.stdout.write('Bearer ' + process.env.RECORDPROOF_MANAGEMENT_TOKEN + '\\n')`],
])('%s in the output of a server process fails a test', { tags: 'long' }, async (_what, leak) => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-leak-'));
  const mutant = join(folder, 'leak.mjs');
  await writeFile(mutant, leak);
  const start = (nodeFlags: string[]) => startServerProcess({ folder: join(folder, 'data'), nodeFlags });
  try {
    const sound = await start([]);
    await sound[Symbol.asyncDispose]();
    const leaking = await start(['--import', mutant]);
    await expect(leaking[Symbol.asyncDispose]()).rejects.toThrow('has to be kept secret');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
