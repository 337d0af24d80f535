// Settings of the web service: the VERIFIER_ variables, their defaults, and cross-checks. Rejects unknown names,
// invalid values, and an online mode that could never get an answer.

import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { ConfigError, readEnvironment } from '@recordproof/shared/settings/read-setting.ts';
import {
  duration,
  listOf,
  type Setting,
  settingsOf,
  size,
  text,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import type { z } from 'zod';
import { isLoopbackHost } from '../online/address-guard.ts';
import { listNamedUrls, parseOnlineSettings } from '../online/online-settings.ts';
import type { OnlineOptions } from '../options.ts';

export type ServiceSettings = {
  host: string;
  port: number;
  maxOriginalBytes: number;
  maxRequestBytes: number;
  maxConcurrent: number;
  maxConcurrentPerAddress: number;
  acquireTimeoutMillis: number;
  rateLimit: { requests: number; windowMillis: number; maxClients: number };
  online: (OnlineOptions & { connectTimeoutMillis: number; requestTimeoutMillis: number }) | undefined;
};

const prefix = 'VERIFIER_';

type Group = 'service' | 'online';

function settingOf(group: Group) {
  const define = settingsOf(group, prefix);
  return <S extends z.ZodType>(name: string, schema: S, help: string) =>
    define(name.toLowerCase().replaceAll('_', '-'), schema, help);
}

const service = settingOf('service');
const online = settingOf('online');
const anyHost = listOf(() => null);

export const settings = {
  host: service('HOST', text.default('127.0.0.1'), 'address to listen on; 0.0.0.0 for all'),
  port: service('PORT', wholeNumber(0, 65_535).default(8093), 'port to listen on; 0 picks a free one'),
  maxOriginalBytes: service('MAX_ORIGINAL_FILE_BYTES', size.default(2 ** 30), 'maximum size of the original file'),
  maxFileBytes: service(
    'MULTIPART_MAX_FILE_SIZE',
    size.default(2 ** 30),
    'maximum size of any uploaded file; for originals the smaller limit applies',
  ),
  maxRequestBytes: service(
    'MULTIPART_MAX_REQUEST_SIZE',
    size.default(1100 * 2 ** 20),
    'maximum size of a request; raise it together with the file limit',
  ),
  maxConcurrent: service(
    'MAX_CONCURRENT',
    wholeNumber(1, 10_000).default(4),
    'maximum number of concurrent verifications',
  ),
  maxConcurrentPerAddress: service(
    'MAX_CONCURRENT_PER_ADDRESS',
    wholeNumber(1, 10_000).optional(),
    'maximum number of concurrent verifications per client address; absent: half of MAX_CONCURRENT',
  ),
  acquireTimeoutMillis: service(
    'ACQUIRE_TIMEOUT',
    duration.default(100),
    'maximum time that a request waits for a free slot',
  ),
  rateLimitRequests: service(
    'RATE_LIMIT_REQUESTS',
    wholeNumber(1, 1_000_000).default(20),
    'rate limit: requests per window and client address',
  ),
  rateLimitWindowMillis: service('RATE_LIMIT_WINDOW', duration.default(60_000), 'length of the rate limit window'),
  rateLimitMaxClients: service(
    'RATE_LIMIT_MAX_CLIENTS',
    wholeNumber(1, 10_000_000).default(10_000),
    'maximum number of client addresses that the rate limit tracks',
  ),
  onlineEnabled: online('ONLINE_ENABLED', yesOrNo.default(false), 'query proof status and chain root'),
  issuerBaseUrl: online('ISSUER_BASE_URI', text.optional(), 'base URL of the issuer'),
  chainUrlTemplate: online(
    'CHAIN_URL_TEMPLATE',
    text.optional(),
    'URL of the chain gateway, with {chainType}, {chainId}, {groupId}, {contractAddress} and {batchNo}',
  ),
  allowedHosts: online(
    'ALLOWED_HOSTS',
    anyHost.optional(),
    'exact host names that may be contacted, separated by commas',
  ),
  connectTimeoutMillis: online('CONNECT_TIMEOUT', duration.default(3000), 'connect timeout'),
  requestTimeoutMillis: online('REQUEST_TIMEOUT', duration.default(5000), 'timeout of a whole request'),
  allowHttp: online('ALLOW_HTTP', yesOrNo.default(false), 'for tests only'),
  allowPrivateAddresses: online('ALLOW_PRIVATE_ADDRESSES', yesOrNo.default(false), 'for tests only'),
} as const satisfies Readonly<Record<string, Setting>>;

export const settingNames = Object.values(settings).map(({ env }) => env);

const settingLine = ({ env, schema, help }: (typeof settings)[keyof typeof settings]): string =>
  `  ${env.padEnd(36)} ${String(schema.safeParse(undefined).data ?? '').padEnd(11)} ${help}`;

/** For the help: a line for each, with its default. */
export const describeSettings = (group: Group): string =>
  Object.values(settings)
    .filter(setting => setting.group === group)
    .map(settingLine)
    .join('\n');

type Values = { readonly [N in keyof typeof settings]: z.output<(typeof settings)[N]['schema']> };

/** Throws ConfigError with one sentence that names the variable. */
export function readServiceSettings(environment: Readonly<Record<string, string | undefined>>): ServiceSettings {
  const values: Values = readEnvironment(settings, environment, prefix);
  const { host, port, maxRequestBytes, maxConcurrent, acquireTimeoutMillis } = values;
  return {
    host,
    port,
    maxOriginalBytes: Math.min(values.maxOriginalBytes, values.maxFileBytes),
    maxRequestBytes,
    maxConcurrent,
    maxConcurrentPerAddress: values.maxConcurrentPerAddress ?? Math.ceil(maxConcurrent / 2),
    acquireTimeoutMillis,
    rateLimit: {
      requests: values.rateLimitRequests,
      windowMillis: values.rateLimitWindowMillis,
      maxClients: values.rateLimitMaxClients,
    },
    online: readOnline(values),
  };
}

function readOnline(values: Values): ServiceSettings['online'] {
  if (!values.onlineEnabled) return undefined;
  const { issuerBaseUrl, chainUrlTemplate, allowedHosts = [] } = values;
  if (issuerBaseUrl === undefined || chainUrlTemplate === undefined || allowedHosts.length === 0)
    throw new ConfigError(
      'VERIFIER_ONLINE_ENABLED=true needs VERIFIER_ISSUER_BASE_URI, VERIFIER_CHAIN_URL_TEMPLATE and VERIFIER_ALLOWED_HOSTS',
    );
  const { allowHttp, allowPrivateAddresses, connectTimeoutMillis, requestTimeoutMillis } = values;
  const options = { issuerBaseUrl, chainUrlTemplate, allowedHosts, allowHttp, allowPrivateAddresses };
  expectReachable(options);
  return { ...options, connectTimeoutMillis, requestTimeoutMillis };
}

const variableOf: Readonly<Record<string, string>> = {
  '--issuer-base-url': settings.issuerBaseUrl.env,
  '--chain-url-template': settings.chainUrlTemplate.env,
  '--allow-host': settings.allowedHosts.env,
};

/** URLs that every request would reject are reported at start. */
function expectReachable(options: OnlineOptions): void {
  const online = parseOnline(options);
  const { allowedHosts } = online;
  for (const [at, url] of listNamedUrls(online).entries()) {
    const name = [settings.issuerBaseUrl, settings.chainUrlTemplate][at]?.env;
    if (url.protocol !== 'https:' && !options.allowHttp && !isLoopbackHost(url.hostname))
      throw new ConfigError(`${name} must be an https address`);
    if (!allowedHosts.includes(url.host) && !allowedHosts.includes(url.hostname))
      throw new ConfigError(`VERIFIER_ALLOWED_HOSTS does not list the host of ${name}`);
  }
}

function parseOnline(options: OnlineOptions) {
  try {
    return parseOnlineSettings(options);
  } catch (problem) {
    if (!(problem instanceof UsageError)) throw problem;
    throw new ConfigError(problem.message.replace(/^--[a-z-]+/, option => variableOf[option] ?? option));
  }
}
