// Several servers on PostgreSQL, an S3 store with two addresses, Redis and RabbitMQ, all real, behind one round-robin
// address. Each has a data folder of its own, with nothing in it but the keys of the first.
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Person } from '../app.ts';
import { type Installation, newInstallation } from '../installation.ts';
import { type OwnPostgres, startPostgres } from '../postgres.ts';
import { type RunningRabbit, startRabbit } from '../rabbitmq.ts';
import { type RunningRedis, startRedis } from '../redis.ts';
import { s3Settings, sharedCeph, stopS3 } from '../s3-settings.ts';
import { type ServerProcess, startServerProcess } from '../server-process.ts';
import { startRoundRobin } from './round-robin.ts';

const managementToken = 'a token for those who run the fleet';

type Services = {
  readonly postgres: OwnPostgres;
  readonly databaseUrl: string;
  readonly redis: RunningRedis;
  readonly rabbit: RunningRabbit;
  /** The first address of the object store; while it is stopped, the other one continues. */
  readonly gateway: { stop(): Promise<void> };
};

export type FleetServer = {
  readonly folder: string;
  readonly url: string;
  /** kill -9 */
  kill(): Promise<void>;
  /** Ends in order, as a restart of its service does. */
  stop(): Promise<void>;
  /** Starts again on the same port and folder; `program` is another version of it. */
  start(program?: string): Promise<void>;
  /** The health of one of its components. */
  healthOf(part: string): Promise<{ readonly status: string; readonly details: Readonly<Record<string, unknown>> }>;
  /** Requests a path and reads the whole answer, with a deadline that no outage reaches. */
  ask(path: string): Promise<Response>;
};

export type Fleet = AsyncDisposable & {
  /** Of all servers. */
  readonly url: string;
  readonly servers: readonly FleetServer[];
  readonly services: Services;
  readonly installation: Installation;
  /** The administrator, signed in, at the address of all servers. */
  admin(): Promise<Person>;
  /** After all servers have ended: runs the due work, with all leases of the dead over, and checks everything. */
  checkEverything(): Promise<void>;
};

/** Longer than any lease. */
const aheadMs = 3 * 60_000;
/**
 * Later than any signed address is valid: objects that a killed server stored without a row have been deleted by then.
 */
const lateMs = 4 * 24 * 3600_000;
const deadlineMs = 30_000;

async function startServices(started: AsyncDisposableStack) {
  const postgres = started.use(await startPostgres());
  const { url: databaseUrl } = await postgres.freshDatabase();
  started.defer(stopS3);
  const first = await (await sharedCeph()).startGateway();
  const { RECORDPROOF_S3_ENDPOINTS: second, ...s3 } = await s3Settings();
  const redis = started.use(await startRedis());
  const rabbit = started.use(await startRabbit());
  const services: Services = { postgres, databaseUrl, redis, rabbit, gateway: first };
  const env = {
    ...s3,
    RECORDPROOF_S3_ENDPOINTS: `${first.endpoint},${second}`,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    RABBITMQ_URL: rabbit.url,
  };
  return { services, env };
}

type Env = Readonly<Record<string, string>>;

class Member implements FleetServer {
  readonly folder: string;
  readonly #env: Env;
  #process: ServerProcess | undefined;
  url = '';

  constructor(folder: string, env: Env) {
    this.folder = folder;
    this.#env = env;
  }

  async start(program?: string): Promise<void> {
    const port = this.#process?.port;
    const env = { ...this.#env, RECORDPROOF_DATA: this.folder };
    this.#process = await startServerProcess({
      folder: this.folder,
      env,
      logLevel: 'error',
      ...(port !== undefined && { port }),
      ...(program !== undefined && { program }),
    });
    this.url = this.#process.url;
  }

  kill = async (): Promise<void> => this.#process?.kill();
  stop = async (): Promise<void> => this.#process?.[Symbol.asyncDispose]();

  ask = (path: string): Promise<Response> =>
    fetch(this.url + path, {
      headers: { authorization: `Bearer ${managementToken}` },
      signal: AbortSignal.timeout(deadlineMs),
    });

  async healthOf(part: string) {
    const { components } = (await (await this.ask('/actuator/health')).json()) as {
      components: Record<string, Awaited<ReturnType<FleetServer['healthOf']>>>;
    };
    return components[part] ?? { status: 'MISSING', details: {} };
  }
}

export async function startFleet(count = 3, more: Env = {}): Promise<Fleet> {
  await using started = new AsyncDisposableStack();
  const { services, env } = await startServices(started);
  const balancer = started.use(await startRoundRobin());
  const installation = started.use(
    await newInstallation({
      ...env,
      RECORDPROOF_PROFILE: 'laptop',
      RECORDPROOF_PUBLIC_URL: balancer.url,
      RECORDPROOF_TRUSTED_PROXIES: 'loopback',
      RECORDPROOF_MANAGEMENT_TOKEN: managementToken,
      ...more,
    }),
  );
  const members: Member[] = [];
  started.defer(async () => void (await Promise.all(members.map(member => member.stop()))));
  for (let number = 0; number < count; number += 1) {
    const folder = number === 0 ? installation.folder : join(installation.folder, `server-${number + 1}`);
    if (number > 0) {
      await mkdir(folder, { recursive: true });
      await cp(join(installation.folder, 'keys'), join(folder, 'keys'), { recursive: true });
    }
    const member = new Member(folder, installation.env);
    members.push(member);
    await member.start();
  }
  balancer.targets = members.map(({ url }) => url);
  const running = started.move();
  return {
    url: balancer.url,
    servers: members,
    services,
    installation,
    admin: async () => {
      const alice = new Person('alice', balancer.url);
      await alice.login('alice', installation.env.RECORDPROOF_ADMIN_PASSWORD ?? '');
      return alice;
    },
    checkEverything: async () => {
      await Promise.all(members.map(member => member.stop()));
      for (const ahead of [aheadMs, 2 * aheadMs, lateMs]) {
        const server = await installation.start(ahead);
        await server.tell('drain');
        await server.stop();
      }
      await installation.checkEverything();
      await installation.checkAllEnded();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
