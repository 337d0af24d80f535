// The real HTTP layer with the routes of files, versions and images. An account's name is its token.
import { readConfig } from '@recordproof/server/config/config.ts';
import { downloads } from '@recordproof/server/features/downloads/index.ts';
import { files } from '@recordproof/server/features/files/index.ts';
import { images } from '@recordproof/server/features/images/index.ts';
import { type Quota, quotas } from '@recordproof/server/features/quotas/index.ts';
import { storedObjects } from '@recordproof/server/features/stored-objects/index.ts';
import { trash } from '@recordproof/server/features/trash/index.ts';
import { versions } from '@recordproof/server/features/versions/index.ts';
import type { FeatureParts } from '@recordproof/server/platform/feature-parts.ts';
import { openHooks } from '@recordproof/server/platform/hooks.ts';
import type { Actor } from '@recordproof/server/platform/http/caller.ts';
import { openWorker } from '@recordproof/server/platform/jobs/worker.ts';
import type { ObjectStore } from '@recordproof/server/platform/objects/object-store.ts';
import { type Log, silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { type CallInput, type Client, openClient } from '@recordproof/shared/api/client.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type FileWorld, wideQuota } from './file-world.ts';
import { openTestHttp } from './http.ts';
import { partsOf, smallServer } from './small-server.ts';

export type Visitor = {
  readonly call: Client['call'];
  expectError<E extends AnyEndpoint>(endpoint: E, input?: CallInput<E>): Promise<ApiError>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

export type FileHttp = AsyncDisposable & {
  readonly url: string;
  readonly anonymous: Visitor;
  as(actor: Actor): Visitor;
  /** Runs every job and schedule that is due. */
  drain(): Promise<void>;
};

export type FileHttpOptions = {
  readonly quota?: Quota;
  readonly retentionDays?: number;
  readonly objects?: Pick<ObjectStore, 'get'>;
  readonly log?: Log;
};

const defaults = await readConfig([], {});

function toServer(
  world: FileWorld,
  { quota = wideQuota, retentionDays = 30, objects, log = silentLog }: FileHttpOptions,
) {
  const config = { ...defaults, quota, files: { ...defaults.files, retentionDays } };
  return smallServer({
    ...world,
    objects: (objects ?? world.objects) as ObjectStore,
    log,
    config,
    hooks: openHooks([]),
  });
}

export async function openFileHttp(world: FileWorld, options: FileHttpOptions = {}): Promise<FileHttp> {
  const { db, clock, database } = world;
  const server = toServer(world, options);
  const parts: FeatureParts[] = partsOf(server, files, downloads, trash, quotas, versions, images, storedObjects);
  const people = new Map<string, Actor>();
  const http = await openTestHttp(
    parts.flatMap(part => part.routes ?? []),
    {
      clock,
      log: options.log ?? silentLog,
      authenticate: async token => {
        const actor = people.get(token);
        if (!actor) throw new ApiError('PERMISSION_TOKEN_INVALID');
        return { kind: 'user', actor };
      },
    },
  );
  const { url } = http;
  const worker = openWorker({
    db,
    engine: database.kind,
    clock,
    log: silentLog,
    handlers: parts.flatMap(part => part.jobs ?? []),
    schedules: parts.flatMap(part => part.schedules ?? []),
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
      http.cutOff();
      await http[Symbol.asyncDispose]();
    },
  };
}

function toVisitor(url: string, token: string | undefined): Visitor {
  const client = openClient({ baseUrl: url, token: () => token });
  return {
    call: (endpoint, ...input) => client.call(endpoint, ...input),
    expectError: async (endpoint, input) => {
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
