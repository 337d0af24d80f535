// The real HTTP door around the routes of files, versions and images. Accounts are known by their names as tokens.
import type { KeyObject } from 'node:crypto';
import { type FilePorts, files } from '@recordproof/server/features/files/index.ts';
import { images } from '@recordproof/server/features/images/index.ts';
import { storedObjects } from '@recordproof/server/features/stored-objects/index.ts';
import { versions } from '@recordproof/server/features/versions/index.ts';
import type { Feature } from '@recordproof/server/platform/feature.ts';
import type { Actor } from '@recordproof/server/platform/http/caller.ts';
import { buildHttp } from '@recordproof/server/platform/http/http-server.ts';
import { openWorker } from '@recordproof/server/platform/jobs/worker.ts';
import { type Log, silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { type CallInput, type Client, openClient } from '@recordproof/shared/api/client.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type FileWorld, wideQuota } from './file-world.ts';

export type Visitor = {
  readonly call: Client['call'];
  refused<E extends AnyEndpoint>(endpoint: E, input?: CallInput<E>): Promise<ApiError>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

export type FileDoor = AsyncDisposable & {
  readonly url: string;
  readonly anonymous: Visitor;
  as(actor: Actor): Visitor;
  /** Runs every job and schedule that is due. */
  drain(): Promise<void>;
};

export type DoorOptions = Partial<Pick<FilePorts, 'quota' | 'retentionDays' | 'objects'>> & { readonly log?: Log };

function toFilePorts(world: FileWorld, options: DoorOptions): FilePorts {
  return {
    database: world.database,
    db: world.db,
    clock: world.clock,
    log: options.log ?? silentLog,
    objects: options.objects ?? world.objects,
    quota: options.quota ?? wideQuota,
    retentionDays: options.retentionDays ?? 30,
    countSharedFiles: async () => 0,
    findManifest: async (db, file) => {
      const row = await db
        .selectFrom('manifest')
        .select('canonical_json')
        .where('file_id', '=', file.id)
        .where('status', '=', 'ACTIVE')
        .executeTakeFirst();
      return row?.canonical_json ?? null;
    },
    openDataKey: async (_db, file, recipient): Promise<KeyObject> => {
      const key = world.keys.get(file.id);
      if (key === undefined || recipient.id !== String(file.owner_id)) throw new ApiError('ENCRYPTION_ERROR');
      return key;
    },
  };
}

export async function openFileDoor(world: FileWorld, options: DoorOptions = {}): Promise<FileDoor> {
  const { db, clock, database } = world;
  const ports = toFilePorts(world, options);
  const features: Feature[] = [files(ports), versions({ db }), images(world), storedObjects(world)];
  const people = new Map<string, Actor>();
  const hit = { count: 1, limit: 6000, remaining: 5999, resetAtMs: 0, allowed: true };
  const http = await buildHttp(
    {
      config: { trustedProxies: [], requestTimeoutSeconds: 10, stallTimeoutSeconds: 10 },
      clock,
      log: options.log ?? silentLog,
      limiter: { count: () => hit },
      authenticate: async token => {
        const actor = people.get(token);
        if (!actor) throw new ApiError('PERMISSION_TOKEN_INVALID');
        return { kind: 'user', actor };
      },
      redeemStreamToken: () => {
        throw new ApiError('PERMISSION_TOKEN_INVALID');
      },
      observe: () => {},
    },
    features.flatMap(feature => feature.routes ?? []),
  );
  const url = await http.listen({ host: '127.0.0.1', port: 0 });
  const worker = openWorker({
    db,
    engine: database.kind,
    clock,
    log: silentLog,
    handlers: features.flatMap(feature => feature.jobs ?? []),
    schedules: features.flatMap(feature => feature.schedules ?? []),
  });
  return {
    url,
    anonymous: toVisitor(url, undefined),
    as: actor => {
      people.set(actor.tokenId, actor);
      return toVisitor(url, actor.tokenId);
    },
    drain: () => worker.drain(),
    [Symbol.asyncDispose]: async () => {
      await worker.stop(1000);
      http.server.closeAllConnections();
      await http.close();
    },
  };
}

function toVisitor(url: string, token: string | undefined): Visitor {
  const client = openClient({ baseUrl: url, token: () => token });
  return {
    call: (endpoint, ...input) => client.call(endpoint, ...input),
    refused: async (endpoint, input) => {
      try {
        await (client.call as (endpoint: AnyEndpoint, input: unknown) => Promise<unknown>)(endpoint, input);
      } catch (error) {
        if (error instanceof ApiError) return error;
        throw error;
      }
      throw new Error(`${endpoint.name} should have been refused`);
    },
    fetch: (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
      return fetch(url + path, { ...init, headers });
    },
  };
}
