// Exits of the program recordproof-verify when its surroundings fail: never with the exit code of VALID, and never long
// after its time limits.
import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { installed } from '../support/installed.ts';

const vectors = fileURLToPath(new URL('../vectors/', import.meta.url));
const { verifier } = installed;
const files = [`--file=${vectors}common/plain.bin`, `--proof=${vectors}key-none_ok/proof.zip`];
const folder = mkdtempSync(join(tmpdir(), 'verifier-process-'));
afterAll(() => rmSync(folder, { recursive: true }));

const asking = (base: string, host: string): string[] => [
  '--online',
  `--issuer-base-url=${base}`,
  `--chain-url-template=${base}/{batchNo}`,
  `--allow-host=${host}`,
];

async function end(command: string, args: readonly string[]) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text;
  });
  const started = performance.now();
  const [code] = await once(child, 'close');
  return { code, stdout, seconds: (performance.now() - started) / 1000 };
}

test('an issuer that switches protocols leaves the proof INDETERMINATE', async () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
  const issuer = createServer(socket => socket.on('error', () => {}).once('data', () => socket.write(upgrade)));
  await once(issuer.listen(0, '127.0.0.1'), 'listening');
  const base = `http://127.0.0.1:${(issuer.address() as { port: number }).port}`;
  const unsafe = ['--allow-http', '--allow-private-addresses'];
  const { code, stdout } = await end(verifier.file, [
    ...verifier.args,
    ...files,
    ...asking(base, '127.0.0.1'),
    ...unsafe,
  ]);
  expect(code).toBe(3);
  expect(stdout).toContain('STATUS_CONNECTION_FAILED');
  issuer.close();
});

test.runIf(process.platform === 'linux')('a report that cannot be written is an error in one sentence', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(verifier.file, [...verifier.args, ...files], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([4, 'The output could not be written to its end.\n']);
});

const mayMount = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;
if (!mayMount) console.warn('A silent resolver is not tested: only root may put one in place.');

describe.runIf(mayMount)('with a resolver that does not respond', () => {
  test('the program ends soon after its time limits', { tags: 'long' }, async () => {
    const resolver = createSocket('udp4');
    resolver.bind(53, '127.0.0.253');
    await once(resolver, 'listening');
    const settings = join(folder, 'resolv.conf');
    writeFileSync(settings, 'nameserver 127.0.0.253\noptions timeout:30 attempts:5\n');
    const args = [...verifier.args, ...files, ...asking('https://issuer.example', 'issuer.example')];
    const script = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
    const apart = ['-m', 'sh', '-c', script, settings, verifier.file, ...args];
    const { code, stdout, seconds } = await end('unshare', apart);
    expect(code).toBe(3);
    expect(stdout).toContain('STATUS_NAME_NOT_RESOLVED');
    expect(seconds).toBeLessThan(100); // three queries of five seconds; the resolver's own timeout is 150
    resolver.close();
  });
});
