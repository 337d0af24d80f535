// @module-tag long-on-postgres
// Settings of those who vouch for checkpoints: what is wrong stops every command with a sentence and exit code 78.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { afterAll, expect, test } from 'vitest';
import { testSigner } from '../../../test/support/note-keys.ts';
import { testWith } from '../../../test/support/programs.ts';
import { runServerCommand } from '../../../test/support/run-server-command.ts';
import { makeAuthority } from '../../../test/support/time-stamp-authority.ts';
import { ConfigError, readConfig } from './config.ts';
import { listSettings } from './list-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'stamp-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const garbage = join(folder, 'garbage.pem');
writeFileSync(garbage, 'hello');
const one = toTypedKeyText(testSigner('COSIGNATURE', 'one.example'));
const renamed = toTypedKeyText({ ...testSigner('COSIGNATURE', 'one.example'), name: 'two.example' });
const log = toTypedKeyText(testSigner('ED25519', 'log.example'));
const namesake = toTypedKeyText({ ...testSigner('ED25519', 'other.example'), name: 'log.example' });

const witnesses = 'RECORDPROOF_LEDGER_WITNESSES';
const peers = 'RECORDPROOF_LEDGER_WITNESS_PEERS';
const authorities = 'RECORDPROOF_LEDGER_STAMP_AUTHORITIES';
const credentials = 'RECORDPROOF_LEDGER_STAMP_CREDENTIALS';
const calendars = 'RECORDPROOF_LEDGER_CALENDARS';

const wrong: readonly (readonly [env: Record<string, string>, part: string])[] = [
  [
    { [witnesses]: `ftp://one.example ${one}` },
    'must be an address followed by its keys, and the address must be a URL',
  ],
  [{ [witnesses]: 'https://one.example' }, 'must name the verifier key of a witness'],
  [{ [witnesses]: 'https://one.example one.example+00000000+AAAA' }, 'must hold verifier keys that can be read'],
  [{ [witnesses]: `https://one.example ${one.replace(/.$/, '!')}` }, 'must hold verifier keys that can be read'],
  [{ [witnesses]: `https://one.example ${one},https://two.example ${one}` }, 'is named twice'],
  [{ [witnesses]: `https://one.example ${one},https://two.example ${renamed}` }, 'is named twice'],
  [{ [peers]: `https://one.example ${one}` }, 'not another kind of key'],
  [{ [peers]: `https://one.example ${log},https://two.example ${namesake}` }, 'two ledgers called log.example'],
  [{ [witnesses]: `https://one.example ${one}`, RECORDPROOF_LEDGER_WITNESS_QUORUM: '2' }, 'is more than there are'],
  [{ [authorities]: 'https://tsa.example/' }, 'must hold entries such as https://tsa.example/'],
  [{ [authorities]: 'tsa.example roots=/x' }, 'must be a URL that starts with http:// or https://'],
  [{ [authorities]: 'https://a:b@tsa.example roots=/x' }, 'must not hold a user name or password'],
  [{ [authorities]: 'https://tsa.example policy=1.2.x roots=/x' }, 'must name a policy by its numbers'],
  [{ [authorities]: `https://tsa.example roots=${join(folder, 'missing.pem')}` }, 'it cannot be read'],
  [{ [authorities]: `https://tsa.example roots=${garbage}` }, 'holds 1 to'],
  [{ [credentials]: 'https://tsa.example hunter2' }, 'must hold entries such as https://tsa.example/ user:password'],
  [{ [credentials]: 'https://tsa.example ada:%zzhunter2' }, 'percent-encoded'],
  [{ [credentials]: 'https://tsa.example ada:hunter2' }, 'which is not in ledger.stamp-authorities'],
  [{ [calendars]: 'calendar.example' }, 'must be a URL that starts with http:// or https://'],
  [{ [calendars]: 'https://calendar.example,https://calendar.example/' }, 'names calendar.example twice'],
  [{ RECORDPROOF_LEDGER_STAMP_PAUSE_SECONDS: '0' }, 'from 1 to 86400'],
  [{ RECORDPROOF_LEDGER_CALENDAR_PAUSE_SECONDS: '86401' }, 'from 1 to 86400'],
  [{ RECORDPROOF_LEDGER_POST_QUANTUM: 'maybe' }, 'must be true or false'],
];

test.each(wrong)('%o is rejected, and the message has no secrets', async (env, part) => {
  const error = await readConfig([], env).catch((problem: unknown) => problem);
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain(part);
  expect(String(error)).not.toContain('hunter2');
});

test('a server with an invalid configuration exits with 78 and the message', async () => {
  const { ended } = runServerCommand(['config'], {
    [authorities]: `https://tsa.example roots=${garbage}`,
  });
  const { code, err } = await ended;
  expect([code, err]).toEqual([78, expect.stringContaining('which cannot be used')]);
});

testWith('openssl')('authorities are read with roots and policy, and their credentials are not printed', async () => {
  const { rootsPath } = makeAuthority(folder);
  const env = {
    [authorities]: `https://one.example/tsr policy=1.2.3 roots=${rootsPath},http://two.example/ roots=${rootsPath}`,
    [credentials]: 'https://one.example/tsr ada:hunter2%2C',
  };
  const { ledger } = await readConfig([], env);
  expect(ledger.authorities.map(({ name, policy, roots }) => [name, policy, roots.length])).toEqual([
    ['one.example/tsr', '1.2.3', 1],
    ['two.example', undefined, 1],
  ]);
  expect(ledger.authorities[0]?.credentials?.reveal()).toBe('ada:hunter2,');
  expect(inspect(ledger, { depth: 9 }) + JSON.stringify([ledger, await listSettings([], env)])).not.toContain(
    'hunter2',
  );
  const plain = { ...env, [credentials]: 'http://two.example ada:hunter2' };
  await expect(readConfig([], plain)).rejects.toThrow(
    'would be sent to http://two.example/ unencrypted: use https://.',
  );
  const twice = { [authorities]: `https://one.example roots=${rootsPath},http://one.example/ roots=${rootsPath}` };
  await expect(readConfig([], twice)).rejects.toThrow('ledger.stamp-authorities names one.example twice.');
});

test('credentials that are not configured are listed as absent', async () => {
  expect((await listSettings([], {})).filter(({ value }) => value === '(set)')).toEqual([]);
});

test('a second signature of the log lowers the maximum number of witnesses by one', async () => {
  const keys = Array.from({ length: 15 }, (_, at) => toTypedKeyText(testSigner('COSIGNATURE', `w${at}.example`)));
  const env = { [witnesses]: keys.map(key => `https://w.example ${key}`).join(',') };
  expect((await readConfig([], env)).ledger.witnesses).toHaveLength(15);
  await expect(readConfig([], { ...env, RECORDPROOF_LEDGER_POST_QUANTUM: 'true' })).rejects.toThrow('14 is the most');
});
