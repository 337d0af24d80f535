// The typed client with two additions: it reports a URL that is not a RecordProof server, for example one with an
// extra path, and it honours the server's Retry-After.
import { type Client, type ClientOptions, openClient, TransportError } from '@recordproof/shared/api/client.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Network } from '@recordproof/shared/node/network.ts';
import { type OnWait, openRetryingClient } from '@recordproof/shared/transfer/wait.ts';
import { interruptibleClock } from './waits.ts';

/** Every server has these endpoints; only one that a path or a contract names can be missing. */
const isAlwaysThere = ({ path, errors }: AnyEndpoint): boolean => !path.includes('{') && !errors.includes('NOT_FOUND');

type ServerClientOptions = Omit<ClientOptions, 'fetch'> & { readonly network: Network; readonly onWait: OnWait };

export function openServerClient({ onWait, network, ...options }: ServerClientOptions): Client {
  const client = openRetryingClient(openClient({ ...options, fetch: network.fetch }), {
    clock: interruptibleClock,
    onWait,
  });

  async function name<T>(endpoint: AnyEndpoint, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'NOT_FOUND' || !isAlwaysThere(endpoint)) throw error;
      const message = `${options.baseUrl} is not the address of a RecordProof server`;
      throw new TransportError('not-recordproof', message, error);
    }
  }

  return {
    open: (endpoint, ...input) => name(endpoint, client.open(endpoint, ...input)),
    call: (endpoint, ...input) => name(endpoint, client.call(endpoint, ...input)),
  };
}
