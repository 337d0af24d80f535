// Checks of the other services: object store, mail, Redis, RabbitMQ. Nothing is stored, sent or declared there.
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { openStoreOf } from '../../compose/open-store.ts';
import type { Config } from '../../config/config.ts';
import { systemClock } from '../../platform/clock.ts';
import { openCluster } from '../../platform/cluster/open-cluster.ts';
import type { ServerKeys } from '../../platform/crypto/server-keys.ts';
import { checkSmtp } from '../../platform/mail/smtp-mail.ts';
import { parseSmtpUrl } from '../../platform/mail/smtp-url.ts';
import { silentLog } from '../../platform/telemetry/log.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

export async function inspectObjects(config: Config, keys: Pick<ServerKeys, 'transfer'>): Promise<Finding[]> {
  const { objects } = config;
  if (objects.kind === 'disk')
    return existsSync(objects.folder)
      ? [ok('objects', `files lie in ${objects.folder}`)]
      : [failure('objects', `${objects.folder} is not there`, 'Mount its disk, or restore it from a backup.')];
  await using store = await openStoreOf(config, keys, () => '', systemClock);
  const { healthyNodes, totalNodes, nodes } = await store.probe();
  const away = nodes.filter(({ online }) => !online).map(({ name }) => name);
  if (away.length === 0)
    return [ok('objects', `bucket "${objects.bucket}": ${totalNodes} of ${totalNodes} addresses serve it`)];
  const found = `bucket "${objects.bucket}": ${healthyNodes} of ${totalNodes} addresses serve it, not ${away.join(', ')}`;
  return [warning('objects', found, 'Bring them back, or take them out of s3-endpoints.')];
}

export async function inspectMail({ mail, profile }: Config): Promise<Finding[]> {
  if (mail.kind === 'files') {
    const found = `mail is only written to ${mail.folder} and not sent`;
    if (profile === 'laptop') return [ok('mail', found)];
    return [
      warning('mail', found, 'Set SMTP_URL and RECORDPROOF_MAIL_FROM, so that people can reset their passwords.'),
    ];
  }
  const endpoint = parseSmtpUrl(mail.url.reveal());
  try {
    await checkSmtp(endpoint);
    return [ok('mail', `${endpoint.host}:${endpoint.port} takes our mail`)];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [failure('mail', `${endpoint.host}:${endpoint.port}: ${why}`, 'Mend SMTP_URL, or the mail server.')];
  }
}

export async function inspectCluster({ cluster }: Config): Promise<Finding[]> {
  if (cluster.kind === 'memory') return [ok('redis', 'not used: one server counts by itself')];
  await using redis = await openCluster(cluster, { clock: systemClock, log: silentLog });
  const health = await redis.probe();
  if (health.mode === 'redis' && health.connected)
    return [ok('redis', `version ${health.version ?? 'unknown'} answers`)];
  const remedy = 'Start it, or correct REDIS_URL; until then each server counts rate limits alone.';
  return [failure('redis', 'does not answer', remedy)];
}

const brokerPorts: Readonly<Record<string, number>> = { 'amqp:': 5672, 'amqps:': 5671 };
const timeoutMs = 5000;

export async function inspectBroker({ outbox }: Config): Promise<Finding[]> {
  if (outbox.kind === 'local') return [ok('rabbitmq', 'not used')];
  const { hostname, port, protocol } = new URL(outbox.url.reveal());
  const at = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (brokerPorts[protocol] ?? 5672) };
  if (await isListening(at)) return [ok('rabbitmq', `${at.host}:${at.port} listens`)];
  return [
    failure(
      'rabbitmq',
      `no service listens at ${at.host}:${at.port}`,
      'Start it, or correct RABBITMQ_URL; until then its events wait.',
    ),
  ];
}

export const isListening = (at: { readonly host: string; readonly port: number }): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ ...at, timeout: timeoutMs });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
