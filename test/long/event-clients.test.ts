// The event stream of the program itself, through third-party clients: the package eventsource, curl, a browser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueStreamToken } from '@recordproof/shared/api/auth.ts';
import { disconnectEvents } from '@recordproof/shared/api/events.ts';
import { EventSource } from 'eventsource';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Person, testPassword } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { chromiumPath, launchChromium } from '../support/chromium.ts';
import { generousRates } from '../support/installation.ts';
import { testWith } from '../support/programs.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { sendFile } from '../support/uploads.ts';

let folder: string;
let server: ServerProcess;
let ada: Person;
let sent = 0;

const start = (port?: number): Promise<ServerProcess> =>
  startServerProcess({
    folder,
    ...(port !== undefined && { port }),
    env: {
      ...generousRates,
      RECORDPROOF_ADMIN_USERNAME: 'ada',
      RECORDPROOF_ADMIN_EMAIL: 'ada@example.org',
      RECORDPROOF_ADMIN_PASSWORD: testPassword,
    },
  });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-events-'));
  server = await start();
  ada = new Person('ada', server.url);
  await ada.login('ada', testPassword);
});
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

type Data = { readonly type: string; readonly payload: { readonly fileName?: string } };

/** Triggers an event: a file by this name is recorded. */
async function record(name: string): Promise<void> {
  await sendFile(ada, await pattern(500, ++sent), name);
}

/** Names of the files in the received events, and a way to wait for one. */
function collector() {
  const names: string[] = [];
  const ids: string[] = [];
  const take = (data: string, id: string) => {
    const { type, payload } = JSON.parse(data) as Data;
    if (type !== 'file-recorded') return;
    names.push(payload.fileName ?? '');
    ids.push(id);
  };
  return { names, ids, take, until: (name: string) => expect.poll(() => names, { timeout: 120_000 }).toContain(name) };
}

test('the package eventsource receives events with a token in the address', async () => {
  const { sseToken } = await ada.call(issueStreamToken);
  const source = new EventSource(`${server.url}/api/v1/sse/connect?token=${sseToken}`);
  const seen = collector();
  source.onmessage = ({ data, lastEventId }) => seen.take(data, lastEventId);
  await once(source, 'open');
  await record('one.pdf');
  await record('two.pdf');
  await seen.until('two.pdf');
  source.close();
  expect(seen.names).toEqual(['one.pdf', 'two.pdf']);
  expect(seen.ids).toEqual(['1', '2']);
});

test('the package eventsource, with a token in the header, reconnects after kill -9, without a gap', async () => {
  const source = new EventSource(`${server.url}/api/v1/sse/connect`, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${ada.token}` } }),
  });
  const seen = collector();
  source.onmessage = ({ data, lastEventId }) => seen.take(data, lastEventId);
  await once(source, 'open');
  await record('before.pdf');
  await seen.until('before.pdf');
  const { port } = server;
  await server.kill();
  server = await start(port);
  await record('after.pdf');
  await seen.until('after.pdf');
  await record('later.pdf');
  await seen.until('later.pdf');
  source.close();
  expect(seen.names).toEqual(['before.pdf', 'after.pdf', 'later.pdf']);
});

testWith('curl')('curl receives events, and resumes after the given id', async () => {
  const follow = (...more: string[]) => {
    const child = spawn(
      'curl',
      [
        '-sN',
        '--noproxy',
        '*',
        '-H',
        `Authorization: Bearer ${ada.token}`,
        ...more,
        `${server.url}/api/v1/sse/connect`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    child.stdout.on('data', block => {
      text += block;
    });
    const until = (words: string) => expect.poll(() => text, { timeout: 120_000 }).toContain(words);
    return { until, text: () => text, stop: () => child.kill() };
  };
  const first = follow();
  await first.until('"connected"');
  await record('one.pdf');
  await first.until('one.pdf');
  first.stop();
  await record('two.pdf');
  const second = follow('-H', 'Last-Event-ID: 1');
  await second.until('two.pdf');
  await record('three.pdf');
  await second.until('three.pdf');
  second.stop();
  expect(second.text()).not.toContain('one.pdf');
  expect(second.text().match(/^id: \d+$/gm)).toEqual(['id: 1', 'id: 2', 'id: 3']);
});

/** The example of the guide, unchanged. */
function readBrowserExample(): string {
  const guide = readFileSync(new URL('../../docs/guide/events.md', import.meta.url), 'utf8');
  const [, example] = /```js\n(async function follow[\s\S]*?)```/.exec(guide) ?? [];
  if (example === undefined) throw new Error('the guide has no example for browsers');
  return example;
}

test.skipIf(chromiumPath === undefined)(
  'a browser receives events with the example of the guide, also after kill -9, until its streams end',
  async () => {
    await using closing = new AsyncDisposableStack();
    const browser = await launchChromium();
    closing.defer(() => browser.close());
    const page = await browser.newPage();
    const seen = collector();
    const types: string[] = [];
    const problems: string[] = [];
    await page.exposeFunction('tell', (message: Data) => {
      types.push(message.type);
      seen.take(JSON.stringify(message), '');
    });
    page.on('pageerror', error => problems.push(error.message));
    await page.goto(`${server.url}/docs`);
    await page.evaluate(`(() => { ${readBrowserExample()} return follow('${ada.token}', tell); })()`);
    const listening = expect.poll(() => types, { timeout: 120_000 });
    await listening.toContain('connected'); // a new stream begins with the next event
    await record('one.pdf');
    await seen.until('one.pdf');
    const { port } = server;
    await server.kill();
    server = await start(port);
    await record('two.pdf');
    await seen.until('two.pdf');
    expect(seen.names).toEqual(['one.pdf', 'two.pdf']);
    await ada.call(disconnectEvents);
    await expect.poll(() => types, { timeout: 120_000 }).toContain('disconnected');
    const connections = types.filter(type => type === 'connected').length;
    await page.waitForTimeout(6000); // longer than the longest delay of the example
    expect(types.filter(type => type === 'connected')).toHaveLength(connections);
    expect(problems).toEqual([]);
  },
);
