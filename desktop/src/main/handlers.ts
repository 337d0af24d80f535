// What the program does about each request of the window.
import { isAbsolute } from 'node:path';
import { type Client, openClient, TransportError } from '@recordproof/shared/api/client.ts';
import { getLiveness } from '@recordproof/shared/api/monitor.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { z } from 'zod';
import { readPicture } from '../bridge/read-picture.ts';
import { findEndpoint } from '../ipc/endpoints.ts';
import type { Handlers } from '../ipc/table.ts';
import { look, type Parts } from './parts.ts';
import { readChecked } from './read-checked.ts';
import { parseServerUrl, WrongAddress } from './servers.ts';
import { toUploadJobs } from './transfer-items.ts';

/** Calls that run, by the number that the window gave each: it may give them up. */
function openCalls() {
  const running = new Map<string, AbortController>();
  return {
    async run<T>(call: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const stopping = new AbortController();
      running.set(call, stopping);
      try {
        return await work(stopping.signal);
      } finally {
        running.delete(call);
      }
    },
    giveUp: (call: string) => running.get(call)?.abort(),
  };
}

type Calls = ReturnType<typeof openCalls>;

/** Only what the contract names, as the contract has it: the window cannot reach another address or header. */
async function callServer({ session }: Parts, name: string, input: Record<string, unknown>, signal: AbortSignal) {
  const endpoint = findEndpoint(name);
  if (!endpoint) throw new TransportError('not-recordproof', `there is no call ${name}`);
  const { params, query, body } = endpoint;
  const call = session.client.call as (one: typeof endpoint, input: object) => Promise<unknown>;
  return call(endpoint, {
    signal,
    ...(params && { params: params.parse(input.params ?? {}) }),
    ...(query && { query: query.parse(input.query ?? {}) }),
    ...(body && { body: body.parse(input.body) }),
    ...(endpoint.headers && { headers: pickHeaders(endpoint.headers, input.headers) }),
  });
}

const headersShape = z.record(z.string(), z.string().max(1024));

function pickHeaders(named: Readonly<Record<string, string>>, given: unknown): Record<string, string> {
  const sent = headersShape.parse(given ?? {});
  return Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(named, name)));
}

function toSessionHandlers({ session }: Parts) {
  return {
    'session.signIn': session.signIn,
    'session.signOut': session.signOut,
    'session.restore': session.restore,
    'session.reload': session.reload,
    'session.changePassword': session.changePassword,
  } satisfies Partial<Handlers>;
}

const refuseRelative = (path: string): string => {
  if (isAbsolute(path)) return path;
  throw new TransferError('source-not-a-file', 'what was dropped lies on no disk');
};

function toTransferHandlers({ transfers, servers, desk, session }: Parts, calls: Calls) {
  return {
    async 'uploads.add'({ files, targetFileId }) {
      for (const { path } of files) refuseRelative(path);
      await transfers.add(servers.current().id, await toUploadJobs(files, targetFileId ?? null));
    },
    'uploads.pause': ({ id }) => transfers.pause(id),
    'uploads.resume': ({ id }) => transfers.resume(id),
    'uploads.cancel': ({ id }) => transfers.cancel(id),
    'uploads.supply': ({ id, paths: [path = ''] }) => transfers.supply(id, refuseRelative(path)),
    'uploads.clear': () => transfers.clear('upload'),
    async 'downloads.start'({ wanted }) {
      const target = await desk.askWhere(wanted.fileName);
      if (target !== undefined) await transfers.add(servers.current().id, [{ kind: 'download', target, wanted }]);
    },
    'downloads.pause': ({ id }) => transfers.pause(id),
    'downloads.resume': ({ id }) => transfers.resume(id),
    'downloads.cancel': ({ id }) => transfers.cancel(id),
    'downloads.clear': () => transfers.clear('download'),
    async 'downloads.show'({ id }) {
      const path = transfers.targetOf(id);
      if (path !== undefined) desk.showFile(path);
    },
    'downloads.read': ({ call, fileHash, maxBytes }) =>
      calls.run(call, signal => readChecked(session.client, fileHash, { maxBytes, signal })),
    'downloads.readPicture': ({ call, path }) => calls.run(call, signal => readPicture(session.client, path, signal)),
  } satisfies Partial<Handlers>;
}

/** Rejects when nothing of ours answers there. */
async function assertServer({ network, userAgent }: Parts, url: string): Promise<void> {
  const client: Client = openClient({ baseUrl: url, fetch: network.fetch, userAgent, timeoutMs: 10_000 });
  await client.call(getLiveness);
}

function parseAddress(url: string): string {
  try {
    return parseServerUrl(url);
  } catch (error) {
    if (error instanceof WrongAddress) throw new TransportError('not-recordproof', error.message);
    throw error;
  }
}

function toServerHandlers(parts: Parts) {
  const { servers, session, tell } = parts;
  const moved = async () => {
    tell('serverUrl', servers.current().url);
    tell('servers', servers.list());
    await session.restore();
  };
  return {
    async 'servers.add'({ url }) {
      const address = parseAddress(url);
      await assertServer(parts, address);
      await servers.add(address);
      await moved();
    },
    async 'servers.choose'({ id }) {
      await servers.choose(id);
      await moved();
    },
    async 'servers.remove'({ id }) {
      const wasCurrent = servers.current().id === id;
      parts.transfers.forget(id);
      await parts.forget(id);
      await servers.remove(id);
      if (wasCurrent) await moved();
      else tell('servers', servers.list());
    },
  } satisfies Partial<Handlers>;
}

function toShellHandlers({ settings, desk, tell }: Parts) {
  return {
    async 'settings.change'(change) {
      await settings.set({ ...settings.get(), ...withoutUndefined(change) });
      const { startsWithSystem, language } = settings.get();
      desk.startWithSystem(startsWithSystem);
      desk.speak(language);
      tell('settings', settings.get());
    },
    async 'clipboard.write'({ text }) {
      desk.writeClipboard(text);
    },
  } satisfies Partial<Handlers>;
}

const withoutUndefined = <T extends object>(change: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

export function toHandlers(parts: Parts): Handlers {
  const calls = openCalls();
  return {
    'program.look': async () => look(parts),
    'server.call': ({ call, endpoint, input }) => calls.run(call, signal => callServer(parts, endpoint, input, signal)),
    async 'call.giveUp'({ call }) {
      calls.giveUp(call);
    },
    ...toSessionHandlers(parts),
    ...toTransferHandlers(parts, calls),
    ...toServerHandlers(parts),
    ...toShellHandlers(parts),
  };
}
