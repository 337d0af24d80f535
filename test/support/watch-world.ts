// A server that makes proofs and a watch of one folder, both of which are killed; and the invariants of the folder once
// all work is complete.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { login } from '@recordproof/shared/api/auth.ts';
import { openClient } from '@recordproof/shared/api/client.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { expect } from 'vitest';
import { readConfig } from '../../server/src/config/config.ts';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import { collectOutput, stopChild } from './child-process.ts';
import { installed } from './installed.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { digestOf } from './uploads.ts';

const { file: program, args: first } = installed.cli;
const password = 'correct horse battery';
const settings = {
  RECORDPROOF_PROFILE: 'laptop',
  RECORDPROOF_ADMIN_USERNAME: 'root',
  RECORDPROOF_ADMIN_EMAIL: 'root@example.org',
  RECORDPROOF_ADMIN_PASSWORD: password,
  ...Object.fromEntries(
    ['AUTH', 'UPLOAD', 'DOWNLOAD', 'CHUNK', 'OTHER'].map(name => [`RECORDPROOF_RATE_LIMIT_${name}`, '100000']),
  ),
};

export type CliEnd = { readonly code: number; readonly stdout: string; readonly stderr: string };

export class WatchWorld {
  readonly home: string;
  readonly folder: string;
  /** The newest content of each file, by its path below the folder. */
  readonly truth = new Map<string, string>();
  readonly #env: NodeJS.ProcessEnv;
  #server: ServerProcess;
  #watch: ChildProcess | undefined;
  #output: () => string = () => '';

  private constructor(home: string, server: ServerProcess, token: string) {
    this.home = home;
    this.folder = join(home, 'docs');
    this.#server = server;
    this.#env = { ...process.env, HOME: home, RECORDPROOF_SERVER: server.url, RECORDPROOF_TOKEN: token };
  }

  static async open(): Promise<WatchWorld> {
    const home = await mkdtemp(join(tmpdir(), 'recordproof-watch-'));
    const server = await startServerProcess({ folder: join(home, 'data'), env: settings });
    const { token } = await openClient({ baseUrl: server.url }).call(login, { body: { username: 'root', password } });
    const world = new WatchWorld(home, server, token);
    await mkdir(join(world.folder, 'sub'), { recursive: true });
    return world;
  }

  cli(...args: string[]): Promise<CliEnd> {
    return new Promise(resolve => {
      execFile(program, [...first, ...args], { cwd: this.home, env: this.#env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  }

  startWatch(): void {
    const args = [...first, 'watch', 'docs', '--rest', '1', '--every', '1'];
    const watch = spawn(program, args, { cwd: this.home, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#output = collectOutput(watch);
    this.#watch = watch;
  }

  readonly said = (): string => this.#output();

  async killWatch(): Promise<void> {
    if (this.#watch) await stopChild(this.#watch, 'SIGKILL');
  }

  /** Asks it to end, and resolves with all its output. */
  async stopWatch(): Promise<string> {
    if (this.#watch) await stopChild(this.#watch, 'SIGTERM');
    return this.#output();
  }

  killServer = (): Promise<void> => this.#server.kill();

  async startServer(): Promise<void> {
    const { port } = this.#server;
    this.#server = await startServerProcess({ folder: join(this.home, 'data'), env: settings, port });
  }

  async write(path: string, size = randomInt(1, 20_000)): Promise<void> {
    const bytes = randomBytes(size);
    await writeFile(join(this.folder, path), bytes);
    this.truth.set(path, digestOf(bytes));
  }

  async writeInHalves(path: string, pauseMs: number): Promise<void> {
    const [first, second] = [randomBytes(5000), randomBytes(3000)];
    await writeFile(join(this.folder, path), first);
    await pass(pauseMs);
    await appendFile(join(this.folder, path), second);
    this.truth.set(path, digestOf(Buffer.concat([first, second])));
  }

  async rename(from: string, to: string): Promise<void> {
    const hash = this.truth.get(from);
    if (hash === undefined || from === to) return;
    await rename(join(this.folder, from), join(this.folder, to));
    this.truth.delete(from);
    this.truth.set(to, hash);
  }

  /** Waits until the watch reports that all files are proven. */
  async untilProven(): Promise<void> {
    await expect
      .poll(async () => (await this.cli('watch', 'status', 'docs')).stdout, { timeout: 1_200_000, interval: 2000 })
      .toMatch(/^waiting for proof +0\nnot stored yet +0\n/m);
    const proven = await this.#readProven();
    for (const [path, hash] of this.truth) expect(proven.get(path), path).toContain(hash);
  }

  /** The content hashes of the archives beside each file. */
  async #readProven(): Promise<Map<string, string[]>> {
    const proven = new Map<string, string[]>();
    for (const entry of await readdir(this.folder, { recursive: true })) {
      const [archive, path = ''] = /^(.*?)(?:\.v\d+)?\.proof\.zip$/.exec(entry) ?? [];
      if (archive === undefined) continue;
      const files = readProofArchive(await readFile(join(this.folder, archive)));
      proven.set(path, [...(proven.get(path) ?? []), parseUtf8(files['file.hash']).trim()]);
    }
    return proven;
  }

  /** The records of the folder, of a stopped server. */
  async readRecords() {
    const { db: where } = await readConfig(['--data', join(this.home, 'data')], settings);
    const database = await openDatabase(where);
    try {
      const files = database.db.selectFrom('file').where('status', '=', 1);
      return await files.select(['file_name', 'path', 'content_hash', 'version', 'version_group_id']).execute();
    } finally {
      await database.close();
    }
  }

  /** Every state has one version, and every path one chain of them. */
  async checkRecords(): Promise<void> {
    await this.killServer();
    const records = await this.readRecords();
    const states = Map.groupBy(records, ({ path, file_name, content_hash }) => `${path}/${file_name} ${content_hash}`);
    const twice = [...states].filter(([, versions]) => versions.length > 1).map(([state]) => state);
    expect(twice, 'stored twice').toEqual([]);
    const missing = [...this.truth].map(([path, hash]) => `docs/${path} ${hash}`).filter(state => !states.has(state));
    expect(missing, 'not stored').toEqual([]);
    const chains = Map.groupBy(records, ({ path, file_name }) => `${path}/${file_name}`);
    for (const [path, versions] of chains)
      expect(new Set(versions.map(one => String(one.version_group_id))).size, path).toBe(1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killWatch();
    await this.#server[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true, force: true });
  }
}
