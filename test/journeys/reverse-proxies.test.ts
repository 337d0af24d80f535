// @module-tag long
// Journeys behind the two reverse proxies of the guide, each configured by its example, with only addresses and
// certificate paths replaced.
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person, testPassword } from '../support/app.ts';
import { collectOutput, findFreePort, spawnTied, stopChild, waitUntilReady } from '../support/child-process.ts';
import { generousRates } from '../support/installation.ts';
import { testWith } from '../support/programs.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const site = 'files.example.org';
const guide = await readFile(new URL('../../docs/guide/self-hosting.md', import.meta.url), 'utf8');

let folder: string;
let server: ServerProcess;
let ada: Person;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-proxies-'));
  server = await startServerProcess({
    folder: join(folder, 'data'),
    env: {
      ...generousRates,
      RECORDPROOF_PUBLIC_URL: `https://${site}`,
      RECORDPROOF_TRUSTED_PROXIES: 'loopback',
      RECORDPROOF_ADMIN_USERNAME: 'ada',
      RECORDPROOF_ADMIN_EMAIL: 'ada@example.org',
      RECORDPROOF_ADMIN_PASSWORD: testPassword,
    },
  });
  ada = new Person('ada', server.url);
  await ada.login('ada', testPassword);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** The block below this text of the guide, with each of these values replaced; each must occur. */
function exampleBehind(words: string, changes: Readonly<Record<string, string>>): string {
  const [, example = ''] = guide.slice(guide.indexOf(words)).split(/```(?:nginx)?\n/);
  return Object.entries(changes).reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replaceAll(from, to);
  }, example);
}

type RequestOptions = { readonly method?: string; readonly body?: Buffer; readonly type?: string };

async function ask(
  port: number,
  path: string,
  { method = 'GET', body, type }: RequestOptions = {},
): Promise<IncomingMessage> {
  const headers = {
    host: site,
    authorization: `Bearer ${ada.token}`,
    ...(type !== undefined && { 'content-type': type }),
  };
  const outgoing = request({ port, path, method, headers, servername: site, rejectUnauthorized: false, agent: false });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return answer;
}

const readJson = async (answer: IncomingMessage) => JSON.parse((await buffer(answer)).toString());

async function upload(port: number, bytes: Buffer): Promise<unknown> {
  const data = new FormData();
  data.append('file', new Blob([new Uint8Array(bytes)]), 'through.bin');
  const sent = new Response(data);
  const body = Buffer.from(await sent.arrayBuffer());
  const type = sent.headers.get('content-type') ?? '';
  return readJson(await ask(port, '/api/v1/files/upload', { method: 'POST', body, type }));
}

/** Bodies of any size pass, and events arrive while the stream is open. */
async function expectGoodPassage(child: ChildProcess, port: number): Promise<void> {
  const output = collectOutput(child);
  try {
    await waitUntilReady(child, () => ask(port, '/actuator/health/liveness'), {
      timeoutMs: 100_000, // Caddy 2.6 can delete the certificate that it is writing at its start, and tries again after a minute
      pollMs: 50,
      output,
    });
    const stream = await ask(port, '/api/v1/sse/connect');
    expect(stream.statusCode).toBe(200);
    let heard = '';
    stream.on('data', block => (heard += String(block))).on('error', () => undefined);
    expect(await upload(port, Buffer.alloc(20_000_000, 7))).toMatchObject({ code: 200 });
    await expect.poll(() => heard, { timeout: 60_000 }).toContain('through.bin');
    stream.destroy();
    const page = await ask(port, '/');
    expect([page.statusCode, (await buffer(page)).toString()]).toEqual([200, expect.stringContaining('RecordProof')]);
  } finally {
    await stopChild(child);
  }
}

testWith('nginx', 'openssl')('nginx forwards everything with the example of the guide', async () => {
  const [port, key, certificate] = [await findFreePort(), join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const made = ['-subj', `/CN=${site}`, '-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', ...curve, ...made], { stdio: 'pipe' });
  const example = exampleBehind('nginx, as packaged by Debian', {
    'listen 443': `listen 127.0.0.1:${port}`,
    '/etc/ssl/certs/files.example.org.pem': certificate,
    '/etc/ssl/private/files.example.org.key': key,
    'http://127.0.0.1:8080': server.url,
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${join(folder, name)};`,
  );
  const own = `daemon off; pid ${join(folder, 'nginx.pid')}; error_log stderr; events {}`;
  const path = join(folder, 'nginx.conf');
  await writeFile(path, `${own}\nhttp { access_log off; ${temporary.join(' ')}\n${example}}\n`);
  await expectGoodPassage(spawnTied('nginx', ['-e', 'stderr', '-c', path]), port);
});

testWith('caddy')('Caddy forwards everything with three lines', async () => {
  const port = await findFreePort();
  const example = exampleBehind('Caddy obtains its certificate', { '127.0.0.1:8080': server.url });
  // Uses the certificate of a test authority, another port, and files in the folder only.
  const own = `{\n  admin off\n  local_certs\n  skip_install_trust\n  auto_https disable_redirects\n  https_port ${port}\n}\n`;
  const path = join(folder, 'Caddyfile');
  await writeFile(path, own + example);
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  await expectGoodPassage(spawnTied('caddy', ['run', '--config', path, '--adapter', 'caddyfile'], { env }), port);
});

test('both examples are in the guide', () => {
  expect(exampleBehind('nginx, as packaged by Debian', {})).toContain('proxy_request_buffering off');
  expect(exampleBehind('Caddy obtains its certificate', {})).toContain('reverse_proxy');
});
