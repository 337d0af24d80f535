// OpenID Connect providers: metadata is discovered at first use, cached for an hour and refreshed. A provider that is
// down affects only its own sign-ins. Keys are read at each sign-in, so that a new key is accepted at once.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Configuration, ServerMetadata } from 'openid-client';
import type { SignInProvider } from '../../config/sign-in-providers.ts';
import type { Clock } from '../../platform/clock.ts';
import type { HealthProbe } from '../../platform/health.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { providerFetch } from './provider-fetch.ts';

/** Metadata that cannot be refreshed stays in use. */
const metadataKeptMs = 3600_000;
const failureKeptMs = 30_000;
const toleranceSeconds = 60;

type Client = typeof import('openid-client');

/** Loaded at the first sign-in. */
const loadClient = (): Promise<Client> => import('openid-client');

type Discovered = { readonly metadata: ServerMetadata; readonly at: number };
type Failed = { readonly error: unknown; readonly at: number };

export type Provider = {
  readonly settings: SignInProvider;
  /** For one sign-in. Throws SERVICE_UNAVAILABLE if the provider is unreachable. */
  open(): Promise<{ readonly client: Client; readonly configuration: Configuration }>;
  isUp(): Promise<boolean>;
};

export type Providers = {
  readonly list: readonly Provider[];
  find(id: string): Provider | undefined;
  /** Throws NOT_FOUND. */
  get(id: string): Provider;
  readonly health: HealthProbe;
};

type Parts = { readonly clock: Clock; readonly log: Log };

const unreachable = ({ id, title }: SignInProvider, cause: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', `the sign-in provider ${title} (${id}) cannot be reached; try again`, {
    cause,
    retryAfterSeconds: failureKeptMs / 1000,
  });

function openProvider(settings: SignInProvider, { clock, log }: Parts): Provider {
  let discovered: Discovered | undefined;
  let failed: Failed | undefined;
  let discovering: Promise<ServerMetadata> | undefined;
  const isInsecure = settings.issuer.startsWith('http:');

  async function discover(): Promise<ServerMetadata> {
    const client = await loadClient();
    const options = {
      [client.customFetch]: providerFetch,
      execute: isInsecure ? [client.allowInsecureRequests] : [],
    };
    const attempt = () => client.discovery(new URL(settings.issuer), settings.clientId, undefined, undefined, options);
    const configuration = await attempt().catch(attempt); // one retry after a dropped connection
    return configuration.serverMetadata();
  }

  async function renew(): Promise<ServerMetadata> {
    try {
      const metadata = await discover();
      discovered = { metadata, at: clock.now() };
      failed = undefined;
      return metadata;
    } catch (error) {
      failed = { error, at: clock.now() };
      log.warn({ provider: settings.id, err: error }, `sign-in provider ${settings.id} is unreachable`);
      if (discovered) return discovered.metadata;
      throw unreachable(settings, error);
    }
  }

  async function getMetadata(): Promise<ServerMetadata> {
    const now = clock.now();
    if (discovered && now - discovered.at < metadataKeptMs) return discovered.metadata;
    if (failed && now - failed.at < failureKeptMs) {
      if (discovered) return discovered.metadata;
      throw unreachable(settings, failed.error);
    }
    discovering ??= renew().finally(() => {
      discovering = undefined;
    });
    return discovering;
  }

  function toAuthentication(client: Client, { token_endpoint_auth_methods_supported: methods }: ServerMetadata) {
    if (settings.clientSecret === undefined) return client.None();
    const secret = settings.clientSecret.reveal();
    const isBasic = methods === undefined || methods.includes('client_secret_basic');
    return isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
  }

  return {
    settings,
    async open() {
      const metadata = await getMetadata();
      const client = await loadClient();
      const options = { [client.clockTolerance]: toleranceSeconds };
      const configuration = new client.Configuration(
        metadata,
        settings.clientId,
        options,
        toAuthentication(client, metadata),
      );
      configuration[client.customFetch] = providerFetch;
      client.enableNonRepudiationChecks(configuration);
      if (isInsecure) client.allowInsecureRequests(configuration);
      return { client, configuration };
    },
    isUp: () =>
      getMetadata().then(
        () => failed === undefined,
        () => false,
      ),
  };
}

export function openProviders(settings: readonly SignInProvider[], parts: Parts): Providers {
  const list = settings.map(one => openProvider(one, parts));
  const find = (id: string) => list.find(one => one.settings.id === id);
  return {
    list,
    find,
    get(id) {
      const provider = find(id);
      if (!provider) throw new ApiError('NOT_FOUND', `there is no sign-in provider "${id}"`);
      return provider;
    },
    health: {
      name: 'singleSignOn',
      async check(signal) {
        const stopped = Promise.withResolvers<never>();
        signal.addEventListener('abort', () => stopped.reject(signal.reason), { once: true });
        const states = await Promise.race([Promise.all(list.map(one => one.isUp())), stopped.promise]);
        const down = list.filter((_, at) => !states[at]).map(one => one.settings.id);
        return {
          status: down.length === 0 ? 'UP' : 'DEGRADED',
          details: { providers: list.length, unreachable: down },
        };
      },
    },
  };
}
