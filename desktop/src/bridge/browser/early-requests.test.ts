// Early requests of the page, against a server that answers when it is told to: each is taken once, and by none but the one
// request that the app would have sent itself.
import { appHeader, me, resumeSession } from '@recordproof/shared/api/auth.ts';
import { type Client, openClient } from '@recordproof/shared/api/client.ts';
import { connectEvents } from '@recordproof/shared/api/events.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { listFolders } from '@recordproof/shared/api/folders.ts';
import { expect, test } from 'vitest';
import { sendEarlyRequests } from './early-requests.ts';

const baseUrl = 'https://records.example.org';
const settle = () => new Promise(resolve => setTimeout(resolve, 5));

const profile = {
  ...{
    externalId: 'U4fQx7LmVb2Kp4fQx7LmVb2',
    username: 'alice',
    email: 'alice@example.org',
    role: 'user',
    nickname: null,
  },
  ...{ avatar: null, registerTime: '2026-01-01T00:00:00.000Z', permissions: [] },
};
const page = { page: 1, size: 100, sort: 'createdAt,desc', folder: '' };
const answers: Readonly<Record<string, unknown>> = {
  '/api/v1/auth/browser-session': { token: 'first', expiresIn: 900 },
  '/api/v1/auth/me': profile,
  '/api/v1/files': { records: [], total: 0, current: 1, size: 100, pages: 0 },
  '/api/v1/files/folders': { folders: [], more: false },
};

type Sent = { readonly name: string; readonly token: string | null; readonly signal: AbortSignal | null | undefined };

/** Each request waits in `pending` until it is answered or cut. */
function openServer(hash = '') {
  const sent: Sent[] = [];
  const pending: { readonly name: string; answer: (status?: number) => void; cut: () => void }[] = [];
  const fetch = (url: string, { method, headers, signal }: RequestInit): Promise<Response> => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { pathname } = new URL(url);
    const name = `${method} ${pathname.slice('/api/v1/'.length)}`;
    sent.push({ name, token: new Headers(headers).get('authorization'), signal });
    const leave = (work: () => void) => () => {
      if (pending.includes(entry)) pending.splice(pending.indexOf(entry), 1);
      work();
    };
    const entry = {
      name,
      answer: (status = 200) =>
        leave(() => {
          const body =
            status === 200 ? { code: 200, message: '', data: answers[pathname] } : { code: status, message: '' };
          resolve(Response.json(body, { status }));
        })(),
      cut: leave(() => reject(new TypeError('the connection broke'))),
    };
    signal?.addEventListener('abort', () => leave(() => reject(signal.reason))());
    pending.push(entry);
    return promise;
  };
  const early = sendEarlyRequests(fetch, baseUrl, hash);
  const clientWith = (token: string): Client => openClient({ baseUrl, fetch: early.fetch, token: () => token });
  const answerAll = async (status?: number) => {
    for (; pending.length > 0; await settle()) pending[0]?.answer(status);
  };
  const namesOf = () => sent.map(({ name }) => name);
  return { early, sent, pending, clientWith, answerAll, namesOf };
}

const resume = (client: Client) => client.call(resumeSession, { headers: { [appHeader]: 'browser' } });
const askAll = (client: Client) =>
  Promise.all([
    client.call(me),
    client.call(listFiles, { query: page }),
    client.call(listFolders, { query: { path: '', limit: 200 } }),
  ]);

const [session, ofSession, list, folders, events] = [
  'PUT auth/browser-session',
  'GET auth/me',
  'GET files',
  'GET files/folders',
  'GET sse/connect',
] as const;

test('the app takes each early response once, and sends no request twice', async () => {
  const { pending, clientWith, sent, namesOf } = openServer();
  const resumed = resume(clientWith(''));
  expect(namesOf()).toEqual([session]);
  pending[0]?.answer();
  const { token } = await resumed;
  const client = clientWith(token);
  const asked = askAll(client);
  const stream = client.open(connectEvents, {});
  await settle();
  expect(namesOf()).toEqual([session, events, ofSession, list, folders]);
  expect(new Set(sent.slice(1).map(one => one.token))).toEqual(new Set(['Bearer first']));
  for (const { answer } of [...pending]) answer();
  expect((await asked)[0]).toMatchObject({ username: 'alice' });
  expect((await stream).status).toBe(200);
  const again = askAll(client);
  await settle();
  expect(namesOf().slice(5)).toEqual([ofSession, list, folders]);
  for (const { answer } of [...pending]) answer();
  await again;
});

test.each([
  ['#/files', true],
  ['#/', true],
  ['#/files?folder=a', false],
  ['#/files?search=a', false],
  ['#/files/trash', false],
  ['#/messages', false],
])('the list of the top folder is requested early only where the address %j shows it', async (hash, isShown) => {
  const { answerAll, namesOf } = openServer(hash);
  await answerAll();
  expect(namesOf().includes(list)).toBe(isShown);
  expect(namesOf()).toContain(ofSession);
});

test('without a session no further request is sent, and the app gets the 401', async () => {
  const { answerAll, clientWith, namesOf } = openServer();
  await answerAll(401);
  await expect(resume(clientWith(''))).rejects.toMatchObject({ status: 401 });
  expect(namesOf()).toEqual([session]);
});

test('an early request that fails is repeated by the app; a rejected one is not', async () => {
  const { pending, clientWith, namesOf } = openServer();
  const resumed = resume(clientWith(''));
  pending[0]?.cut();
  await settle();
  expect(namesOf()).toEqual([session, session]);
  pending[0]?.answer();
  await resumed;

  const other = openServer();
  other.pending[0]?.answer();
  await settle();
  const rejected = other.clientWith('first').call(listFiles, { query: page });
  other.pending.find(({ name }) => name === list)?.answer(401);
  await expect(rejected).rejects.toMatchObject({ status: 401 });
  expect(other.namesOf().filter(name => name === list)).toHaveLength(1);
});

test('an early request is aborted with the request that took it', async () => {
  const { pending, clientWith, sent } = openServer();
  pending[0]?.answer();
  await settle();
  const stop = new AbortController();
  const asked = clientWith('first').call(listFiles, { query: page, signal: stop.signal });
  await settle();
  stop.abort();
  await expect(asked).rejects.toThrow();
  expect(sent.filter(({ name }) => name === list).map(({ signal }) => signal?.aborted)).toEqual([true]);
});

test('an early response is not used with another token', async () => {
  const { answerAll, pending, clientWith, namesOf, sent } = openServer();
  await answerAll();
  const asked = clientWith('second').call(listFiles, { query: page });
  await settle();
  expect(namesOf().filter(name => name === list)).toHaveLength(2);
  expect(sent.at(-1)?.token).toBe('Bearer second');
  pending[0]?.answer();
  await asked;
});

test('an ended session and one not taken in time abort or discard their early requests', async () => {
  const { early, pending, clientWith, sent, namesOf } = openServer();
  pending[0]?.answer();
  await settle();
  early.forget();
  expect(sent.slice(1).every(({ signal }) => signal?.aborted)).toBe(true);
  const asked = clientWith('first').call(listFiles, { query: page });
  await settle();
  pending.at(-1)?.answer(401);
  await expect(asked).rejects.toMatchObject({ status: 401 });
  expect(namesOf().filter(name => name === list)).toHaveLength(2);

  const ended = openServer();
  const resumed = resume(ended.clientWith(''));
  await settle();
  ended.early.forget();
  ended.pending[0]?.answer();
  await resumed;
  await settle();
  expect(ended.namesOf(), 'nothing follows').toEqual([session]);
});

test('two tabs each resume the same session', async () => {
  const [one, other] = [openServer(), openServer()];
  const both = [one, other].map(tab => resume(tab.clientWith('')));
  for (const tab of [one, other]) tab.pending[0]?.answer();
  await Promise.all(both);
  for (const tab of [one, other]) expect(tab.namesOf().filter(name => name === session)).toHaveLength(1);
});
