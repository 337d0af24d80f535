// A small Internet for a test: a network namespace with host names of its own, where names resolve to a public address
// and HTTPS ends at a front with the certificate of a test authority. The verifier runs in it unchanged: without flags
// for tests, with its own resolver, its own rules for addresses, its own TLS.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCertificates } from './certificates.ts';
import type { InsideInput } from './children/inside-public-internet.ts';
import { installed } from './installed.ts';

/** A public address of somebody else, used only inside the test's network. */
const address = '9.9.9.9';
const isRoot = process.getuid?.() === 0;
const unshare = ['--net', '--mount', ...(isRoot ? [] : ['--map-root-user'])];
const setUp = `ip link set lo up && ip addr add ${address}/32 dev lo && mount --bind "$1" /etc/hosts && shift && exec "$@"`;
const inside = fileURLToPath(new URL('./children/inside-public-internet.ts', import.meta.url));

/** Null where the kernel allows a network namespace of our own. */
export function whyNoPublicInternet(): string | null {
  try {
    execFileSync('unshare', [...unshare, 'sh', '-c', setUp, 'sh', '/etc/hosts', 'true'], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `no network of our own (unshare, ip): ${(error as Error).message.split('\n').at(-1)}`;
  }
}

export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

export type PublicInternet = Disposable & {
  /** The program recordproof-verify, run in this network. */
  verify(args: readonly string[], cwd: string): Promise<Ended>;
};

/** `sites`: host name → address of the plain HTTP server behind it. */
export function openPublicInternet(sites: Readonly<Record<string, string>>): PublicInternet {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-public-'));
  const hosts = join(folder, 'hosts');
  writeFileSync(
    hosts,
    `127.0.0.1 localhost\n${Object.keys(sites)
      .map(name => `${address} ${name}\n`)
      .join('')}`,
  );
  const certificates = makeCertificates(folder, Object.keys(sites));
  const tlsSites = Object.entries(sites).map(([name, url], index) => ({
    name,
    ...openTlsSite(join(folder, `${index}`), url),
  }));
  const input = (args: readonly string[]): InsideInput => ({
    ...certificates,
    address,
    doors: Object.fromEntries(tlsSites.map(({ name, path }) => [name, path])),
    program: { file: installed.verifier.file, args: [...installed.verifier.args, ...args] },
  });
  return {
    verify: (args, cwd) => {
      const command = [
        ...unshare,
        'sh',
        '-c',
        setUp,
        'sh',
        hosts,
        process.execPath,
        inside,
        JSON.stringify(input(args)),
      ];
      return new Promise(resolve => {
        execFile('unshare', command, { cwd, timeout: 60_000 }, (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
        });
      });
    },
    [Symbol.dispose]: () => {
      for (const { server } of tlsSites) server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A socket that is a file can be reached from another network. */
function openTlsSite(path: string, url: string): { path: string; server: Server } {
  const { hostname, port } = new URL(url);
  const server = createServer(socket => {
    const onward = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const)
      one.pipe(other).on('error', () => one.destroy());
  }).listen(path);
  return { path, server };
}
