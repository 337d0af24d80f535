// Owns the settings of the web service: the VERIFIER_ variables, their defaults, and whether they fit together.
// Refuses unknown names, values that are not exactly of their kind, and an online mode that could never get an answer.
import { parseOnlineSettings, toChainUrl, toIssuerUrl } from '../online/online-settings.ts';
import { type OnlineOptions, UsageError } from '../options.ts';

export type ServiceSettings = {
  host: string;
  port: number;
  maxOriginalBytes: number;
  maxRequestBytes: number;
  maxConcurrent: number;
  acquireTimeoutMillis: number;
  rateLimit: { requests: number; windowMillis: number; maxClients: number };
  online?: OnlineOptions & { connectTimeoutMillis: number; requestTimeoutMillis: number };
};

type Environment = Readonly<Record<string, string | undefined>>;
type Kind<T> = { parse: (text: string) => T | undefined; hint: string };

const maxMillis = 2 ** 31 - 1;
const byteUnits: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 };
const timeUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

const whole = (from: number, to: number): Kind<number> => ({
  parse: text => (/^(0|[1-9][0-9]{0,9})$/.test(text) && +text >= from && +text <= to ? +text : undefined),
  hint: `a whole number from ${from} to ${to}`,
});

const size: Kind<number> = {
  parse: text => scaled(/^([1-9][0-9]{0,15})(|B|KB|MB|GB|TB)$/.exec(text), byteUnits, Number.MAX_SAFE_INTEGER),
  hint: 'a size such as 1GB, 1100MB or a number of bytes',
};

const duration: Kind<number> = {
  parse: text => scaled(/^([1-9][0-9]{0,9})(ms|s|m|h)$/.exec(text), timeUnits, maxMillis),
  hint: 'a time such as 100ms, 3s or 1m',
};

const toggle: Kind<boolean> = {
  parse: text => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  hint: 'true or false',
};

const words: Kind<string> = { parse: text => (text.trim() === '' ? undefined : text.trim()), hint: 'not empty' };

const list: Kind<string[]> = {
  parse: text => {
    const items = text.split(',').map(item => item.trim());
    return items.includes('') ? undefined : items;
  },
  hint: 'hosts with commas between them',
};

function scaled(match: RegExpExecArray | null, units: Readonly<Record<string, number>>, max: number) {
  const value = Number(match?.[1]) * (units[match?.[2] ?? ''] ?? Number.NaN);
  return value <= max ? value : undefined;
}

const kinds = {
  VERIFIER_HOST: words,
  VERIFIER_PORT: whole(0, 65_535),
  VERIFIER_MAX_ORIGINAL_FILE_BYTES: size,
  VERIFIER_MULTIPART_MAX_FILE_SIZE: size,
  VERIFIER_MULTIPART_MAX_REQUEST_SIZE: size,
  VERIFIER_MAX_CONCURRENT: whole(1, 10_000),
  VERIFIER_ACQUIRE_TIMEOUT: duration,
  VERIFIER_RATE_LIMIT_REQUESTS: whole(1, 1_000_000),
  VERIFIER_RATE_LIMIT_WINDOW: duration,
  VERIFIER_RATE_LIMIT_MAX_CLIENTS: whole(1, 10_000_000),
  VERIFIER_ONLINE_ENABLED: toggle,
  VERIFIER_ISSUER_BASE_URI: words,
  VERIFIER_CHAIN_URL_TEMPLATE: words,
  VERIFIER_ALLOWED_HOSTS: list,
  VERIFIER_ALLOW_HTTP: toggle,
  VERIFIER_ALLOW_PRIVATE_ADDRESSES: toggle,
  VERIFIER_CONNECT_TIMEOUT: duration,
  VERIFIER_REQUEST_TIMEOUT: duration,
} as const;

type Name = keyof typeof kinds;
type Value<N extends Name> = Exclude<ReturnType<(typeof kinds)[N]['parse']>, undefined>;
type Values = { [N in Name]?: Value<N> };

export const settingNames = Object.keys(kinds) as Name[];

/** Throws UsageError with one sentence that names the variable. */
export function readServiceSettings(environment: Environment): ServiceSettings {
  const values = readValues(environment);
  const online = readOnline(values);
  const maxFileBytes = values.VERIFIER_MULTIPART_MAX_FILE_SIZE ?? 2 ** 30;
  return {
    host: values.VERIFIER_HOST ?? '127.0.0.1',
    port: values.VERIFIER_PORT ?? 8093,
    maxOriginalBytes: Math.min(values.VERIFIER_MAX_ORIGINAL_FILE_BYTES ?? 2 ** 30, maxFileBytes),
    maxRequestBytes: values.VERIFIER_MULTIPART_MAX_REQUEST_SIZE ?? 1100 * 2 ** 20,
    maxConcurrent: values.VERIFIER_MAX_CONCURRENT ?? 4,
    acquireTimeoutMillis: values.VERIFIER_ACQUIRE_TIMEOUT ?? 100,
    rateLimit: {
      requests: values.VERIFIER_RATE_LIMIT_REQUESTS ?? 20,
      windowMillis: values.VERIFIER_RATE_LIMIT_WINDOW ?? 60_000,
      maxClients: values.VERIFIER_RATE_LIMIT_MAX_CLIENTS ?? 10_000,
    },
    ...(online === undefined ? {} : { online }),
  };
}

function readValues(environment: Environment): Values {
  const values: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith('VERIFIER_') || text === undefined) continue;
    if (!isName(name)) throw new UsageError(`there is no setting ${name}; recordproof-verify serve --help lists them`);
    const value = kinds[name].parse(text);
    if (value === undefined) throw new UsageError(`${name} must be ${kinds[name].hint}`);
    values[name] = value;
  }
  return values;
}

const isName = (name: string): name is Name => Object.hasOwn(kinds, name);

function readOnline(values: Values): ServiceSettings['online'] {
  if (values.VERIFIER_ONLINE_ENABLED !== true) return undefined;
  const {
    VERIFIER_ISSUER_BASE_URI: issuerBaseUrl,
    VERIFIER_CHAIN_URL_TEMPLATE: chainUrlTemplate,
    VERIFIER_ALLOWED_HOSTS: allowedHosts,
  } = values;
  if (issuerBaseUrl === undefined || chainUrlTemplate === undefined || allowedHosts === undefined)
    throw new UsageError(
      'VERIFIER_ONLINE_ENABLED=true needs VERIFIER_ISSUER_BASE_URI, VERIFIER_CHAIN_URL_TEMPLATE and VERIFIER_ALLOWED_HOSTS',
    );
  const online = {
    issuerBaseUrl,
    chainUrlTemplate,
    allowedHosts,
    allowHttp: values.VERIFIER_ALLOW_HTTP ?? false,
    allowPrivateAddresses: values.VERIFIER_ALLOW_PRIVATE_ADDRESSES ?? false,
    connectTimeoutMillis: values.VERIFIER_CONNECT_TIMEOUT ?? 3000,
    requestTimeoutMillis: values.VERIFIER_REQUEST_TIMEOUT ?? 5000,
  };
  expectReachable(online);
  return online;
}

const variableOf: Readonly<Record<string, string>> = {
  '--issuer-base-url': 'VERIFIER_ISSUER_BASE_URI',
  '--chain-url-template': 'VERIFIER_CHAIN_URL_TEMPLATE',
  '--allow-host': 'VERIFIER_ALLOWED_HOSTS',
};

/** Addresses that would be refused at every request are refused now, when somebody looks. */
function expectReachable(options: OnlineOptions): void {
  const { issuerBase, chainTemplate, allowedHosts } = parseOnline(options);
  const address = { chainType: 'a', chainId: 'a', groupId: 'a', contractAddress: 'a', batchNo: 'a' };
  const places = {
    VERIFIER_ISSUER_BASE_URI: toIssuerUrl(issuerBase, '/'),
    VERIFIER_CHAIN_URL_TEMPLATE: toChainUrl(chainTemplate, address),
  };
  for (const [name, url] of Object.entries(places)) {
    if (url.protocol !== 'https:' && !options.allowHttp) throw new UsageError(`${name} must be an https address`);
    if (!allowedHosts.includes(url.host) && !allowedHosts.includes(url.hostname))
      throw new UsageError(`VERIFIER_ALLOWED_HOSTS does not list the host of ${name}`);
  }
}

function parseOnline(options: OnlineOptions) {
  try {
    return parseOnlineSettings(options);
  } catch (problem) {
    if (!(problem instanceof UsageError)) throw problem;
    throw new UsageError(problem.message.replace(/^--[a-z-]+/, option => variableOf[option] ?? option));
  }
}
