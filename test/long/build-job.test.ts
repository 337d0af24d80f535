// Journey of a build job from an empty folder to VALID, by the lines of its guide: no secret is stored, and the issuer
// of its identity token is on loopback.
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installed } from '../support/installed.ts';
import { type Ended, openProveWorld } from '../support/prove-world.ts';
import { jobToken, openTokenIssuer } from '../support/token-issuer.ts';

const guide = await readFile(new URL('../../docs/guide/workload-identity.md', import.meta.url), 'utf8');
const blockOf = (language: string): string =>
  new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, 's').exec(guide)?.[1] ?? '';

const run = (folder: string, script: string, env: Readonly<Record<string, string>>): Promise<Ended> =>
  new Promise(resolve => {
    const options = { cwd: folder, env: { HOME: folder, ...env } };
    execFile('sh', ['-ec', script], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

test('a job proves its artifact with the commands of the guide; a job of another branch is rejected', async () => {
  await using world = await openProveWorld();
  await using issuer = await openTokenIssuer();
  const bin = join(world.folder, 'bin');
  await mkdir(bin);
  const line = [installed.cli.file, ...installed.cli.args].map(word => `'${word}'`).join(' ');
  await writeFile(join(bin, 'recordproof'), `#!/bin/sh\nexec ${line} "$@"\n`);
  await chmod(join(bin, 'recordproof'), 0o755);
  const PATH = `${bin}:${process.env.PATH}`;

  const [create = '', add = ''] = blockOf('console')
    .split('\n$ ')
    .map(text => text.replace(/^\$ /, ''));
  expect(await world.cli(...create.split(' ').slice(1))).toMatchObject({ code: 0 });
  const words = add.replaceAll('\\\n', '').match(/"[^"]*"|\S+/g) ?? [];
  const told = words
    .slice(1)
    .map(word =>
      word
        .replaceAll('"', '')
        .replace('https://git.example.org/api/actions', issuer.url)
        .replace('https://evidence.example.org', world.server),
    );
  const added = await world.cli(...told, '--json');
  expect(added).toMatchObject({ code: 0 });
  const { account } = JSON.parse(added.stdout) as { account: string };

  await writeFile(join(world.folder, 'app.tar.gz'), 'what the job has built');
  const env = {
    PATH,
    RECORDPROOF_ACCOUNT: account,
    ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/idtoken?placeholder=true`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: jobToken,
  };
  const script = blockOf('sh').replace('https://evidence.example.org', world.server);
  issuer.jobClaims = { sub: 'repo:acme/app:ref:refs/heads/fix', repository: 'acme/app', ref: 'refs/heads/fix' };
  const foreign = await run(world.folder, script, env);
  expect(foreign.code).not.toBe(0);
  expect(foreign.stderr).toContain('the claim ref does not match');
  issuer.jobClaims = { sub: 'repo:acme/app:ref:refs/heads/main', repository: 'acme/app', ref: 'refs/heads/main' };
  const done = await run(world.folder, script, env);
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('Result: VALID');
  expect(done.stdout + done.stderr).not.toContain('rpt_');
  const stored = await world.cli('admin', 'files', 'list', '--json');
  expect(stored.stdout).toContain('app.tar.gz');
});
