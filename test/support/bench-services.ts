// PostgreSQL, an S3 store, Redis and RabbitMQ, all real and on this machine, as settings of one server.
import { cephPrograms } from './ceph.ts';
import { postgres, postgresPrograms, stopPostgres } from './postgres.ts';
import { rabbitPrograms, startRabbit } from './rabbitmq.ts';
import { redisProgram, startRedis } from './redis.ts';
import { s3Settings, stopS3 } from './s3-settings.ts';

export const servicePrograms = [...postgresPrograms, redisProgram, ...rabbitPrograms, ...cephPrograms];

type BenchServices = AsyncDisposable & { readonly env: Readonly<Record<string, string>> };

export async function startBenchServices(): Promise<BenchServices> {
  await using started = new AsyncDisposableStack();
  started.defer(stopPostgres);
  const { url } = await (await postgres()).freshDatabase();
  started.defer(stopS3);
  const s3 = await s3Settings();
  const redis = started.use(await startRedis());
  const rabbit = started.use(await startRabbit());
  const running = started.move();
  return {
    env: { ...s3, DATABASE_URL: url, REDIS_URL: redis.url, RABBITMQ_URL: rabbit.url },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
