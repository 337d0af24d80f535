// A server process that makes proofs, and the programs of its users, in one temporary folder.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { login } from '@recordproof/shared/api/auth.ts';
import { openClient } from '@recordproof/shared/api/client.ts';
import { installed, type ProgramLine } from './installed.ts';
import { startServerProcess } from './server-process.ts';

const password = 'correct horse battery';
const generous = ['UPLOAD', 'DOWNLOAD', 'OTHER', 'PUBLIC_PROOF'].map(name => [
  `RECORDPROOF_RATE_LIMIT_${name}`,
  '100000',
]);

export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

type RunOptions = { readonly args: readonly string[]; readonly interruptAt?: RegExp };

export type ProveWorld = AsyncDisposable & {
  readonly folder: string;
  readonly server: string;
  readonly cli: (...args: string[]) => Promise<Ended>;
  /** Ctrl-C as soon as its output contains this. */
  readonly interruptedCli: (at: RegExp, ...args: string[]) => Promise<Ended>;
  readonly verify: (...args: string[]) => Promise<Ended>;
  /** `recordproof-server` on the data folder of the running server. */
  readonly admin: (...args: string[]) => Promise<Ended>;
  readonly makeFile: (name: string, size: number) => Promise<Buffer>;
  readonly readArchive: (name: string) => Promise<Buffer>;
};

export async function openProveWorld(settings: Readonly<Record<string, string>> = {}): Promise<ProveWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-prove-'));
  const data = join(folder, 'data');
  const env = {
    RECORDPROOF_PROFILE: 'laptop',
    RECORDPROOF_ADMIN_USERNAME: 'root',
    RECORDPROOF_ADMIN_EMAIL: 'root@example.org',
    RECORDPROOF_ADMIN_PASSWORD: password,
    ...Object.fromEntries(generous),
    ...settings,
  };
  const server = await startServerProcess({ folder: data, env });
  const client = openClient({ baseUrl: server.url });
  const { token } = await client.call(login, { body: { username: 'root', password } });
  const variables = { HOME: folder, RECORDPROOF_SERVER: server.url, RECORDPROOF_TOKEN: token };

  const run = (program: ProgramLine, { args, interruptAt }: RunOptions): Promise<Ended> => {
    const options = { cwd: folder, env: { ...process.env, ...variables } };
    return new Promise(resolve => {
      const child = execFile(program.file, [...program.args, ...args], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
      let said = '';
      child.stderr?.on('data', text => {
        const isNew = interruptAt?.test(said) === false;
        said += text;
        if (isNew && interruptAt.test(said)) child.kill('SIGINT');
      });
    });
  };

  return {
    folder,
    server: server.url,
    cli: (...args) => run(installed.cli, { args }),
    interruptedCli: (interruptAt, ...args) => run(installed.cli, { args, interruptAt }),
    verify: (...args) => run(installed.verifier, { args }),
    admin: (...args) => run(installed.server, { args: [...args, '--data', data] }),
    makeFile: async (name, size) => {
      const bytes = randomBytes(size);
      await writeFile(join(folder, name), bytes);
      return bytes;
    },
    readArchive: name => readFile(join(folder, `${name}.proof.zip`)),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
