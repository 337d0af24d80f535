// Lost keys of an installation: the start, doctor and every command end with 78 and one message; a command that rejects
// the state that it finds does not report wrong usage.
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toFailure } from '../../server/src/commands/failures.ts';
import { openApp } from '../../server/src/compose/app.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { silentLog } from '../../server/src/platform/telemetry/log.ts';
import { type Env, MisconfiguredInstallations } from '../support/misconfigured-installations.ts';
import { stopPostgres } from '../support/postgres.ts';
import { runCommand } from '../support/server-commands.ts';

afterAll(stopPostgres);

async function start(env: Env): Promise<{ code: number; out: string }> {
  const config = await readConfig([], { ...env, RECORDPROOF_PORT: '0' });
  try {
    await (await openApp(config, { log: silentLog }))[Symbol.asyncDispose]();
    return { code: 0, out: '' };
  } catch (error) {
    const { code, message } = toFailure(error);
    return { code, out: message };
  }
}

const ways: readonly (readonly [string, (env: Env) => Promise<{ code: number; out: string }>])[] = [
  ['start', start],
  ['doctor', env => runCommand(['doctor'], env)],
  ['keys list', env => runCommand(['keys', 'list'], env)],
  ['keys add-version', env => runCommand(['keys', 'add-version'], env)],
];

const losses = [
  ['keys', /keys holds no keys\. Name the right data folder \(--data\), restore the keys folder from a backup/],
  ['keys/pepper.key', /the key file \S+pepper\.key is missing; restore it from a backup/],
  ['keys/master-keys.json', /the key file \S+master-keys\.json is missing; restore it from a backup/],
] as const;

const rejections = [
  ['jobs show --id 999', 'there is no dead job 999'],
  ['jobs drop --id 999', 'there is no dead job 999'],
  ['keys retire --version 1', 'version 1 '],
  ['keys use --version 9', 'no master key version "9"'],
  ['keys trusted --version 9', 'no signing key version "9"'],
  ['admin password --username nobody', 'no account "nobody"'],
  ['admin tenants --suspend nobody', 'no tenant "nobody"'],
  ['admin installation --grant nobody', 'no account "nobody"'],
] as const;

describe.each(['sqlite', 'postgres'] as const)('on %s', engine => {
  let installations: MisconfiguredInstallations;
  beforeAll(async () => {
    installations = await MisconfiguredInstallations.make(engine, 'disk');
  });
  afterAll(() => installations?.[Symbol.asyncDispose]());

  test.each(losses)('without %s every command ends with exit code 78 and one message', async (name, why) => {
    const { env, folder } = installations.production;
    const path = join(folder, name);
    await rename(path, `${path}.away`);
    const ended: [string, number, number][] = [];
    for (const [way, run] of ways) {
      const { code, out } = await run(env);
      ended.push([way, code, out.split('\n').filter(line => why.test(line)).length]);
    }
    await rename(`${path}.away`, path);
    expect(ended).toEqual(ways.map(([way]) => [way, 78, 1]));
    expect((await runCommand(['keys', 'list'], env)).code).toBe(0);
  });

  test('a lost installation mark of the keys folder is written again', async () => {
    const { env, folder } = installations.production;
    const path = join(folder, 'keys', 'installation.json');
    await rename(path, `${path}.away`);
    expect((await runCommand(['doctor'], env)).out).toContain('installation ok ');
    expect(await start(env)).toEqual({ code: 0, out: '' });
    expect(await readFile(path)).toEqual(await readFile(`${path}.away`));
  });

  test.each(rejections)('%s is rejected with exit code 1', async (command, why) => {
    const { code, out } = await runCommand(command.split(' '), installations.production.env);
    expect(out).toContain(why);
    expect(code).toBe(1);
  });
});
