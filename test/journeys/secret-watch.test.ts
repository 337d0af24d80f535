// The watch over what journeys write would see what must not be there.
import { expect, test } from 'vitest';
import { startApp, testPassword } from '../support/app.ts';

test.each([
  ['a password', () => testPassword],
  ['a token', (token: string) => `refused ${token}`],
  ['a signature', () => `GET /objects/x?expires=1&signature=${'A'.repeat(43)}`],
])('%s in the log of a journey fails it', async (_what, toLine) => {
  const app = await startApp();
  const ada = await app.person('ada');
  app.app.server.log.info(toLine(ada.token ?? ''));
  await expect(app[Symbol.asyncDispose]()).rejects.toThrow('has to be kept secret');
});
