// @module-tag long-on-postgres
// SIGHUP, as an operator sends it to the server: what changes at once, what is refused, what is named for a restart.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { getRegistration } from '@recordproof/shared/api/auth.ts';
import { expect, test, vi } from 'vitest';
import { Person } from '../../../test/support/app.ts';
import { runServerCommand } from '../../../test/support/run-server-command.ts';
import { reloadableSettings } from '../config/reload.ts';
import { settings } from '../config/settings.ts';

vi.setConfig({ testTimeout: 90_000 });

/** Reads what a child writes; each answer goes on behind the one before. */
function openReader(stream: Readable | null) {
  if (stream === null) throw new Error('there is no pipe');
  let text = '';
  stream.on('data', data => {
    text += String(data);
  });
  return async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(text);
      if (found) {
        text = text.slice(found.index + found[0].length);
        return found;
      }
      if (stream.readableEnded) throw new Error(`the server ended: ${text}`);
      await Promise.race([once(stream, 'data'), once(stream, 'end')]);
    }
  };
}

test('SIGHUP applies new settings, keeps the old ones if the file is invalid, and never stops the server', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'recordproof-'));
  const file = join(folder.path, 'settings.yaml');
  const write = (text: string) => writeFileSync(file, text);
  write('accounts.registration: closed\nrate-limit-other: 1000\n');
  const args = ['serve', '--data', join(folder.path, 'data'), '--port', '0', '--config', file];
  const { child, ended } = runServerCommand(args);
  const [untilShown, untilLogged] = [openReader(child.stdout), openReader(child.stderr)];
  const [, url = ''] = await untilShown(/address +(http:\S+)/);
  const anybody = new Person('anybody', url);
  const limitOf = async () => (await anybody.fetch(getRegistration.path)).headers.get('x-ratelimit-limit');
  const hangUp = (pattern: RegExp) => {
    child.kill('SIGHUP');
    return untilLogged(pattern);
  };
  expect(await anybody.call(getRegistration)).toMatchObject({ mode: 'closed' });
  expect(await limitOf()).toBe('1000');

  write('accounts.registration: open\nrate-limit-other: 2000\nport: 4711\n');
  const [line] = await hangUp(/\{[^\n]*settings reloaded[^\n]*\}/);
  expect(JSON.parse(line)).toMatchObject({
    applied: ['rate-limit-other', 'accounts.registration'],
    msg: expect.stringContaining('settings reloaded: rate-limit-other, accounts.registration'),
  });
  expect(await anybody.call(getRegistration)).toMatchObject({ mode: 'open' });
  expect(await limitOf()).toBe('2000');

  write('accounts.registration: invited\nrate-limit-other: 3000\n');
  const [bad] = await hangUp(/\{[^\n]*"level":"error"[^\n]*\}/);
  expect(JSON.parse(bad).msg).toMatch(
    /the previous ones stay in effect: .*accounts\.registration in .* must be open, invite/,
  );
  expect(await anybody.call(getRegistration)).toMatchObject({ mode: 'open' });
  expect(await limitOf()).toBe('2000');

  write('smtp-url: "smtp://127.0.0.1:1"\nrate-limit-other: 3000\nmail-from: nobody\n');
  await hangUp(/\{[^\n]*"level":"error"[^\n]*\}/);
  expect(await limitOf()).toBe('2000'); // all of a file or nothing of it

  write('log-level: debug\nrate-limit-other: 2000\naccounts.registration: open\nreserve-bytes: 0\n');
  const [named] = await hangUp(/\{[^\n]*take effect only after a restart[^\n]*\}/);
  expect(JSON.parse(named).needsRestart).toContain('reserve-bytes');
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

test('the list of reloadable settings has no duplicates and no setting that needs a restart', () => {
  expect(new Set(reloadableSettings).size).toBe(reloadableSettings.length);
  const keys = reloadableSettings.map(name => settings[name].key);
  for (const key of ['port', 'host', 'data', 'database-url', 'redis-url']) expect(keys).not.toContain(key);
});
