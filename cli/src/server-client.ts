// The typed client, which also knows when the other side is no RecordProof server although it answers in its manner: as
// under an address with a path too much.
import { type Client, type ClientOptions, openClient, TransportError } from '@recordproof/shared/api/client.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';

/** Every server has these; only what a path or a contract names can be missing. */
const isAlwaysThere = ({ path, errors }: AnyEndpoint): boolean => !path.includes('{') && !errors.includes('NOT_FOUND');

export function openServerClient(options: ClientOptions): Client {
  const client = openClient(options);

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
