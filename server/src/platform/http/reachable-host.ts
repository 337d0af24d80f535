// A host name for links to a server that listens on every address.
import { networkInterfaces } from 'node:os';

const everywhere = new Set(['0.0.0.0', '::']);

/** The address itself if it is a specific one; otherwise the first one of this machine that others can reach. */
export function toReachableHost(address: string): string {
  if (!everywhere.has(address)) return address;
  const outside = Object.values(networkInterfaces()).flatMap(all => all ?? []);
  return outside.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
