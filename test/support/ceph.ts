// A real S3 server for tests: one Ceph monitor, one OSD in memory and a RADOS Gateway, all children of this process
// that die with it, in a temporary folder, on free ports of the loopback. There is no fake: where the programs are
// missing, whyNoCeph says so.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { whyNotWith } from './programs.ts';

const run = promisify(execFile);
export const cephPrograms = [
  'ceph-mon',
  'ceph-osd',
  'radosgw',
  'radosgw-admin',
  'ceph',
  'ceph-authtool',
  'monmaptool',
  'setpriv',
];

/** Null when a gateway can be started here, else the reason. */
export function whyNoCeph(): string | null {
  return whyNotWith(...cephPrograms) ?? (process.getuid?.() === 0 ? null : 'the Ceph daemons are only started by root');
}

export type Ceph = AsyncDisposable & {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Another user, who may do nothing yet. */
  addUser(name: string): Promise<{ readonly accessKeyId: string; readonly secretAccessKey: string }>;
  /** Another gateway of the same cluster. */
  startGateway(): Promise<{ readonly endpoint: string; stop(): Promise<void>; freeze(): void; thaw(): void }>;
};

async function findFreePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    server.close(() => resolve(port));
  });
  return promise;
}

function toConfig(folder: string, fsid: string, monitorPort: number): string {
  const settings = {
    fsid,
    'mon host': `[v2:127.0.0.1:${monitorPort}/0]`,
    'mon initial members': 'a',
    'ms bind msgr1': 'false',
    'auth cluster required': 'cephx',
    'auth service required': 'cephx',
    'auth client required': 'cephx',
    keyring: `${folder}/keyring`,
    'run dir': `${folder}/run`,
    'log file': `${folder}/$name.log`,
    'admin socket': `${folder}/run/$name.$pid.asok`,
    'pid file': `${folder}/run/$name.$pid.pid`,
    'mon data': `${folder}/mon`,
    'osd data': `${folder}/osd`,
    'public addr': '127.0.0.1',
    'cluster addr': '127.0.0.1',
    'osd objectstore': 'memstore',
    'memstore device bytes': '4294967296',
    'osd pool default size': '1',
    'osd pool default min size': '1',
    'osd pool default pg num': '4',
    'osd pool default pg autoscale mode': 'off',
    'osd crush chooseleaf type': '0',
    'mon allow pool size one': 'true',
    'mon warn on pool no redundancy': 'false',
    'mon max pg per osd': '1000',
    'mon data avail crit': '1',
    // By default the cluster waits ten seconds for peers.
    'paxos propose interval': '0.05',
    'paxos min wait': '0.01',
  };
  return ['[global]', ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`), ''].join('\n');
}

class CephCluster implements Ceph {
  readonly region = 'us-east-1';
  readonly accessKeyId = 'testkey';
  readonly secretAccessKey = 'testsecret';
  endpoint = '';
  readonly #folder: string;
  readonly #fsid = randomUUID();
  readonly #children: ChildProcess[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  async start(): Promise<void> {
    const folder = this.#folder;
    for (const name of ['mon', 'osd', 'run']) await mkdir(join(folder, name));
    const monitorPort = await findFreePort();
    await writeFile(join(folder, 'ceph.conf'), toConfig(folder, this.#fsid, monitorPort));
    await this.#makeKeys();
    const address = `[v2:127.0.0.1:${monitorPort}/0]`;
    const monmap = join(folder, 'monmap');
    await run('monmaptool', ['--create', '--clobber', '--fsid', this.#fsid, '--addv', 'a', address, monmap]);
    await this.#run('ceph-mon', ['--mkfs', '-i', 'a', '--monmap', monmap, '--keyring', join(folder, 'keyring')]);
    this.#daemon('ceph-mon', ['-f', '-i', 'a']);
    const osd = randomUUID();
    await Promise.all([
      this.#run('ceph-osd', ['-i', '0', '--mkfs', '--osd-uuid', osd]),
      this.#run('ceph', ['--connect-timeout', '20', 'osd', 'new', osd, '0']),
    ]);
    this.#daemon('ceph-osd', ['-f', '-i', '0']);
    await this.#makeUser('test', this);
    this.endpoint = (await this.startGateway()).endpoint;
  }

  async addUser(name: string) {
    const keys = { accessKeyId: `${name}-key`, secretAccessKey: `${name}-secret` };
    await this.#makeUser(name, keys);
    return keys;
  }

  async #makeUser(name: string, keys: { accessKeyId: string; secretAccessKey: string }): Promise<void> {
    const given = [`--access-key=${keys.accessKeyId}`, `--secret-key=${keys.secretAccessKey}`];
    await this.#run('radosgw-admin', ['user', 'create', `--uid=${name}`, `--display-name=${name}`, ...given]);
  }

  async startGateway() {
    const port = await findFreePort();
    const frontend = `beast endpoint=127.0.0.1:${port}`;
    const child = this.#daemon('radosgw', ['-f', '-n', 'client.rgw', '--rgw-frontends', frontend]);
    const endpoint = `http://127.0.0.1:${port}`;
    await this.#waitFor(endpoint, child);
    return {
      endpoint,
      stop: async () => end(child, 'SIGKILL'),
      freeze: () => void child.kill('SIGSTOP'),
      thaw: () => void child.kill('SIGCONT'),
    };
  }

  async #waitFor(endpoint: string, child: ChildProcess): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt += 1) {
      if (child.exitCode !== null) throw new Error(`radosgw ended: ${await this.#log('client.rgw.log')}`);
      const answer = await fetch(endpoint, { signal: AbortSignal.timeout(2000) }).catch(() => null);
      if (answer !== null) return;
      await delay(50);
    }
    throw new Error('the gateway did not answer within 30 s');
  }

  async #log(name: string): Promise<string> {
    const text = await readFile(join(this.#folder, name), 'utf8').catch(() => 'no log');
    return text.split('\n').slice(-20).join('\n');
  }

  async #makeKeys(): Promise<void> {
    const keyring = join(this.#folder, 'keyring');
    const make = (name: string, ...caps: string[]) => {
      const granted = caps.flatMap(cap => ['--cap', ...cap.split(': ')]);
      return run('ceph-authtool', [...(name === 'mon.' ? ['-C'] : []), keyring, '-n', name, '--gen-key', ...granted]);
    };
    await make('mon.', 'mon: allow *');
    await make('client.admin', 'mon: allow *', 'osd: allow *', 'mgr: allow *');
    await make('osd.0', 'mon: allow profile osd', 'osd: allow *');
    await make('client.rgw', 'mon: allow rw', 'osd: allow rwx');
  }

  #arguments(program: string, args: readonly string[]): string[] {
    const asRoot = program === 'ceph' || program === 'radosgw-admin' ? [] : ['--setuser', 'root', '--setgroup', 'root'];
    return ['-c', join(this.#folder, 'ceph.conf'), ...args, ...asRoot];
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    await run(program, this.#arguments(program, args), { timeout: 60_000 });
  }

  #daemon(program: string, args: readonly string[]): ChildProcess {
    const command = ['--pdeathsig', 'KILL', program, ...this.#arguments(program, args)];
    const child = spawn('setpriv', command, { stdio: 'ignore' });
    this.#children.push(child);
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // No data is worth an orderly shutdown.
    await Promise.all(this.#children.map(child => end(child, 'SIGKILL')));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.kill(signal);
  await promise;
}

export async function startCeph(): Promise<Ceph> {
  const cluster = new CephCluster(await mkdtemp(join(tmpdir(), 'recordproof-ceph-')));
  try {
    await cluster.start();
    return cluster;
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}
