// Responses to failures of Redis, mail, object store, broker and disk: status, Retry-After and circuits.
import { expect, test } from 'vitest';
import { CircuitBreakers } from '../circuit-breaker.ts';
import { ClusterUnavailable } from '../cluster/cluster.ts';
import { RedisCluster } from '../cluster/redis.ts';
import { MailFailed, parseSender } from '../mail/mail.ts';
import { isMailServerDown, SmtpMail } from '../mail/smtp-mail.ts';
import { ObjectStoreError } from '../objects/object-store.ts';
import { S3Endpoints } from '../objects/s3-endpoints.ts';
import { isStoreDown, toS3StoreError } from '../objects/s3-errors.ts';
import { AmqpExporter } from '../outbox/amqp-exporter.ts';
import { ExporterUnavailable } from '../outbox/exporter.ts';
import { toApiError } from './answers.ts';

/** A port where nobody listens, and nobody but root could. */
const deadAddress = '127.0.0.1:1';
const log = { info: () => {}, warn: () => {} };
const once = { windowCalls: 1, minimumCalls: 1, openMs: 7000 };
const openBreakers = () => new CircuitBreakers({ now: () => 0 });

/** The second call finds the circuit that the first one opened. */
async function secondError(call: () => Promise<unknown>): Promise<unknown> {
  await call().catch(() => undefined);
  return call().then(
    () => undefined,
    (error: unknown) => error,
  );
}

function expectCircuitAnswer(error: unknown): void {
  const answer = toApiError(error);
  expect([answer.status, answer.code, answer.retryAfterSeconds]).toEqual([503, 30010, 7]);
}

test('a failing Redis opens its circuit, and the response is 503 with Retry-After', async () => {
  const breakers = openBreakers();
  await using cluster = new RedisCluster({ url: `redis://${deadAddress}`, log, guard: breakers.guard('redis', once) });
  const error = await secondError(() => cluster.take('key'));
  expect(error).toBeInstanceOf(ClusterUnavailable);
  expectCircuitAnswer(error);
  expect(breakers.list()).toMatchObject([{ name: 'redis', state: 'OPEN', failedCalls: 1, notPermittedCalls: 1 }]);
});

test('a failing mail server opens its circuit, an invalid address does not', async () => {
  const guard = openBreakers().guard('smtp', { ...once, isFailure: isMailServerDown });
  const endpoint = { host: '127.0.0.1', port: 1, tls: 'off', login: undefined } as const;
  await using mail = new SmtpMail({ endpoint, sender: parseSender('a@b.test'), clock: { now: () => 0 }, guard });
  const send = (to: string) => () => mail.send({ to, subject: 'Hello', text: 'there' });
  expect(await secondError(send('not an address'))).toMatchObject({ failure: 'invalid' });
  const error = await secondError(send('ada@example.test'));
  expect(error).toBeInstanceOf(MailFailed);
  expectCircuitAnswer(error);
});

test('a failing object store opens its circuit, a missing object does not', async () => {
  const breakers = openBreakers();
  const guard = breakers.guard('s3', { ...once, isFailure: isStoreDown });
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  using endpoints = new S3Endpoints({
    endpoints: [`http://${deadAddress}`],
    bucket: 'b',
    region: 'r',
    credentials,
    guard,
  });
  const notFound = Object.assign(new Error('no such key'), { $metadata: { httpStatusCode: 404 } });
  await expect(endpoints.run(() => Promise.reject(notFound))).rejects.toBe(notFound);
  await expect(endpoints.run(async () => 'found')).resolves.toBe('found');
  const outage = Object.assign(new Error('busy'), { $metadata: { httpStatusCode: 503 } });
  const error = toS3StoreError(await secondError(() => endpoints.run(() => Promise.reject(outage))));
  expect(error).toBeInstanceOf(ObjectStoreError);
  expect(error.kind).toBe('UNAVAILABLE');
  expectCircuitAnswer(error);
});

test('a failing message broker opens its circuit', async () => {
  const guard = openBreakers().guard('rabbitmq', once);
  await using exporter = new AmqpExporter({ url: `amqp://${deadAddress}`, log, guard });
  const event = { id: 'E1', type: 'file.stored', tenantId: 'T1', payload: {}, createdAt: '2026-01-01T00:00:00Z' };
  const error = await secondError(() => exporter.publish(event));
  expect(error).toBeInstanceOf(ExporterUnavailable);
  expectCircuitAnswer(error);
});

test.each(['ENXIO', 'ENODEV', 'ENOTCONN', 'EREMOTEIO', 'Unknown system error -116', 'Unknown system error -117'])(
  'a disk error %s gets 503',
  code => {
    const failing = { status: 503, code: 40005, message: expect.stringContaining('disk of this server') };
    expect(toApiError(Object.assign(new Error(code), { code }))).toMatchObject(failing);
  },
);

test('a full disk, object store or database has a reason that a client can recognize', () => {
  const codes = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].map(code => Object.assign(new Error(code), { code }));
  for (const error of [new ObjectStoreError('NO_SPACE', 'full'), ...codes])
    expect(toApiError(error)).toMatchObject({ status: 503, code: 40005, detail: { reason: 'STORAGE_FULL' } });
});
