// Handlers of the window's requests, and the snapshot with which a new window starts.
import { isAbsolute } from 'node:path';
import { type Client, openClient, TransportError } from '@recordproof/shared/api/client.ts';
import { getLiveness } from '@recordproof/shared/api/monitor.ts';
import type { Network } from '@recordproof/shared/node/network.ts';
import { fetchEvidenceBytes } from '@recordproof/shared/transfer/fetch-evidence.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { z } from 'zod';
import type { ShellSettings } from '../bridge/bridge.ts';
import { readPicture } from '../bridge/read-picture.ts';
import type { Feed } from '../engine/feed.ts';
import { findEndpoint } from '../ipc/endpoints.ts';
import type { Push, Requests, Snapshot } from '../ipc/table.ts';
import type { DesktopTransfers } from './desktop-transfers.ts';
import type { PrivateJson } from './private-json.ts';
import { readChecked } from './read-checked.ts';
import { parseServerUrl, type Servers, WrongAddress } from './servers.ts';
import type { Sessions } from './sessions.ts';
import type { System } from './system.ts';
import { toUploadJobs } from './transfer-tasks.ts';
import type { Vault } from './vault.ts';

/** Only calls of the contract: the window cannot reach another path or header. */
async function callServer({ sessions }: Parts, name: string, input: Record<string, unknown>, signal?: AbortSignal) {
  const endpoint = findEndpoint(name);
  if (!endpoint) throw new Error(`internal: unknown call "${name}"`);
  const { params, query, body } = endpoint;
  const call = sessions.client.call as (one: typeof endpoint, input: object) => Promise<unknown>;
  return call(endpoint, {
    ...(signal && { signal }),
    ...(params && { params: params.parse(input.params ?? {}) }),
    ...(query && { query: query.parse(input.query ?? {}) }),
    ...(body && { body: body.parse(input.body) }),
    ...(endpoint.headers && { headers: pickHeaders(endpoint.headers, input.headers) }),
  });
}

const headersShape = z.record(z.string(), z.string().max(1024));

function pickHeaders(named: Readonly<Record<string, string>>, input: unknown): Record<string, string> {
  const sent = headersShape.parse(input ?? {});
  return Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(named, name)));
}

const assertAbsolute = (path: string): string => {
  if (isAbsolute(path)) return path;
  throw new TransferError('source-not-a-file', `"${path}" is not the full path of a file: save it to a disk first`);
};

const toUploadHandlers = ({ transfers, servers }: Parts): Requests['uploads'] => ({
  async add({ files, targetFileId }) {
    for (const { path } of files) assertAbsolute(path);
    await transfers.add(servers.current().id, await toUploadJobs(files, targetFileId ?? null));
  },
  pause: async id => transfers.queue.pause(id),
  resume: async id => transfers.queue.resume(id),
  cancel: async id => transfers.queue.cancel(id),
  supply: ({ id, paths: [path = ''] }) => transfers.supply(id, assertAbsolute(path)),
  clear: async () => transfers.clear('upload'),
});

const toDownloadHandlers = ({ transfers, servers, system, sessions }: Parts): Requests['downloads'] => ({
  async start(request) {
    if (transfers.resumeDownload(servers.current().id, request)) return;
    const target = await system.chooseSavePath(request.fileName);
    if (target !== undefined)
      await transfers.add(servers.current().id, [{ kind: 'download', target, wanted: request }]);
  },
  pause: async id => transfers.queue.pause(id),
  resume: async id => transfers.queue.resume(id),
  cancel: async id => transfers.queue.cancel(id),
  clear: async () => transfers.clear('download'),
  read: ({ source, maxBytes }, signal) => readChecked(sessions.client, source, { maxBytes, signal }),
  readProof: async (fileId, signal) =>
    new Uint8Array(await fetchEvidenceBytes(sessions.client, fileId, signal ? { signal } : {})),
  readPicture: (path, signal) => readPicture(sessions.client, path, signal),
});

/** Rejects when no RecordProof server answers there. */
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

function toShellHandlers(parts: Parts): Requests['shell'] {
  const { servers, sessions, settings, system, transfers, push } = parts;
  const switchServer = async () => {
    push('serverUrl', servers.current().url);
    push('servers', servers.list());
    await sessions.requests.restore();
  };
  return {
    async addServer(url) {
      const address = parseAddress(url);
      await assertServer(parts, address);
      await servers.add(address);
      await switchServer();
    },
    async chooseServer(id) {
      await servers.choose(id);
      await switchServer();
    },
    async removeServer(id) {
      const wasCurrent = servers.current().id === id;
      transfers.queue.forget(id);
      await parts.sessions.forget(id);
      await servers.remove(id);
      if (wasCurrent) await switchServer();
      else push('servers', servers.list());
    },
    async changeSettings(change) {
      await settings.set({ ...settings.get(), ...withoutUndefined(change) });
      const { startsWithSystem, language } = settings.get();
      system.startWithSystem(startsWithSystem);
      system.setLanguage(language);
      push('settings', settings.get());
    },
    async showDownload(id) {
      const path = transfers.targetOf(id);
      if (path !== undefined) system.showFile(path);
    },
  };
}

const withoutUndefined = <T extends object>(change: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

export const toHandlers = (parts: Parts): Requests => ({
  program: {
    snapshot: async () => toSnapshot(parts),
    callServer: ({ endpoint, input }, signal) => callServer(parts, endpoint, input, signal),
    copyText: async text => parts.system.writeClipboard(text),
  },
  session: parts.sessions.requests,
  uploads: toUploadHandlers(parts),
  downloads: toDownloadHandlers(parts),
  shell: toShellHandlers(parts),
});

export type Parts = {
  readonly system: System;
  readonly push: Push;
  readonly network: Network;
  readonly userAgent: string;
  readonly servers: Servers;
  readonly sessions: Sessions;
  readonly feed: Feed;
  readonly transfers: DesktopTransfers;
  readonly settings: PrivateJson<ShellSettings>;
  readonly vault: Vault;
};

function toSnapshot({ servers, sessions, feed, transfers, settings, vault, userAgent }: Parts): Snapshot {
  return {
    serverUrl: servers.current().url,
    session: sessions.state(),
    feed: feed.state.get(),
    uploads: transfers.uploads(),
    downloads: transfers.downloads(),
    servers: servers.list(),
    settings: settings.get(),
    canKeepTokens: vault.canKeep,
    version: userAgent,
  };
}
