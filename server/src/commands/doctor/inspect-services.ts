// Checks of the other services: object store, mail, Redis, RabbitMQ, and witnesses, peers, authorities and calendars.
// Nothing is stored, sent or declared there.
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
  await using store = await openStoreOf(config, keys);
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

const defaultPorts: Readonly<Record<string, number>> = { 'amqp:': 5672, 'amqps:': 5671, 'https:': 443, 'http:': 80 };
const timeoutMs = 5000;

export async function inspectBroker({ outbox }: Config): Promise<Finding[]> {
  if (outbox.kind === 'local') return [ok('rabbitmq', 'not used')];
  const at = toEndpoint(outbox.url.reveal());
  if (await isListening(at)) return [ok('rabbitmq', `${at.host}:${at.port} listens`)];
  return [
    failure(
      'rabbitmq',
      `no service listens at ${at.host}:${at.port}`,
      'Start it, or correct RABBITMQ_URL; until then its events wait.',
    ),
  ];
}

const isListening = (at: ReturnType<typeof toEndpoint>): Promise<boolean> =>
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

const dayMs = 86_400_000;
const shortDays = 60;

export const inspectProofs = ({ attestation, profile }: Config): Finding[] => [
  attestation.enabled
    ? ok('proofs', 'stored files get proofs')
    : warning(
        'proofs',
        `are off with this configuration (profile ${profile}): stored files get none`,
        'Name the profile of your server with --profile if it is another one; else set attestation.production.enabled to true (ATTESTATION_PRODUCTION_ENABLED=true).',
      ),
];

/** Whether they listen, and when the roots of the authorities expire. */
export async function inspectVouchers({ ledger }: Config): Promise<Finding[]> {
  const { witnesses, peers, authorities, calendars } = ledger;
  const urls = [...witnesses, ...peers, ...authorities, ...calendars].map(({ url }) => url);
  if (urls.length === 0)
    return [ok('vouchers', 'no third party vouches for the ledger: its times rest on this server alone')];
  const silent = (await Promise.all(urls.map(async url => ((await isListening(toEndpoint(url))) ? [] : [url])))).flat();
  const counts = `${witnesses.length + peers.length} witnesses, ${authorities.length} authorities, ${calendars.length} calendars`;
  return [
    ...silent.map(url =>
      warning('vouchers', `no service listens at ${url}`, 'Ask its operator, or remove it from the settings.'),
    ),
    ...authorities.flatMap(inspectRoots),
    ...(silent.length === 0 ? [ok('vouchers', `${counts}: all of them listen`)] : []),
  ];
}

function toEndpoint(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (defaultPorts[protocol] ?? 0) };
}

/** Of several roots, the last to expire decides. */
function inspectRoots({ name, roots }: Config['ledger']['authorities'][number]): Finding[] {
  const days = Math.floor((Math.max(...roots.map(({ notAfter }) => notAfter)) - systemClock.now()) / dayMs);
  if (days >= shortDays) return [];
  const found = days < 0 ? `the roots of ${name} have expired` : `the roots of ${name} expire in ${days} days`;
  return [warning('vouchers', found, 'Get the new roots of the authority, or name another one beside it.')];
}
