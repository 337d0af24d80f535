// Addresses and networks: lists of them, whether an address is in one, and links to a server that listens.
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** An IP address, or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const kind = address.includes('%') ? 0 : isIP(address);
  const isPart = /^[1-9]\d{0,2}$/.test(bits ?? '') && Number(bits) <= (kind === 4 ? 32 : 128);
  return kind !== 0 && more.length === 0 && (bits === undefined || isPart);
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

export function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    list.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family);
  }
  return list;
}

/** `address` in the form of `foldAddress`. */
export const isListed = (list: BlockList, address: string): boolean =>
  isIP(address) !== 0 && list.check(address, familyOf(address));

const everywhere = new Set(['0.0.0.0', '::']);

/** `address`, or if it stands for all of them, the first one of this machine that others can reach. */
function toReachableHost(address: string): string {
  if (!everywhere.has(address)) return address;
  const outside = Object.values(networkInterfaces()).flatMap(all => all ?? []);
  return outside.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}

/** For links to a server that listens there. */
export function toReachableUrl(address: string, port: number): string {
  const host = toReachableHost(address);
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
