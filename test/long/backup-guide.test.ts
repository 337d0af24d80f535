// Journey through docs/guide/backup.md: every command is typed as it is printed there, beside a running server.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { login } from '@recordproof/shared/api/auth.ts';
import { expect } from 'vitest';
import { Person } from '../support/app.ts';
import { testWith } from '../support/programs.ts';
import { startServerProcess } from '../support/server-process.ts';
import { openTerminal } from '../support/terminal.ts';
import { sendFile } from '../support/uploads.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = await readFile(join(root, 'docs/guide/backup.md'), 'utf8');
const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));

const password = 'correct horse battery';
const admin = {
  RECORDPROOF_ADMIN_USERNAME: 'root',
  RECORDPROOF_ADMIN_EMAIL: 'root@example.org',
  RECORDPROOF_ADMIN_PASSWORD: password,
};

const lastWords: readonly (readonly [part: string, words: RegExp])[] = [
  [' backup --data', /backup of \S+ is complete/],
  ['--check', /is complete: 3 objects/],
  ['--verify', /verified: 3 files with their manifests, .*: all sound/],
  [' doctor ', /0 errors/],
];

testWith('script', 'openssl')('every command of the guide works unchanged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-guide-'));
  try {
    await mkdir(join(folder, 'home'));
    await using server = await startServerProcess({ folder: join(folder, 'recordproof-data'), env: admin });
    const person = new Person('root', server.url);
    person.token = (await person.call(login, { body: { username: 'root', password } })).token;
    for (const text of ['one', 'two', 'three']) await sendFile(person, Buffer.from(text), `${text}.txt`);

    const path = `${join(root, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}`;
    await using terminal = await openTerminal(folder, { PATH: path, HOME: join(folder, 'home'), LANG: 'C.UTF-8' });
    const shown = new Map<string, string>();
    for (const line of commands) shown.set(line, await terminal.type(line));
    for (const [part, words] of lastWords) {
      const line = commands.find(each => each.includes(part)) ?? '';
      expect(shown.get(line), part).toMatch(words);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
