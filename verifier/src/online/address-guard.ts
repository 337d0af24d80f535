// A guard for network addresses (SSRF protection). Rejects private, loopback, link-local, shared, multicast and
// reserved addresses, and every IPv6 form with an embedded IPv4 address. Checks addresses, never names.
import { BlockList, isIP } from 'node:net';

const rejectedV4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

// Inside 2000::/3; everything outside it is rejected anyway: mapped, translated, local, multicast.
const rejectedV6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const rejected4 = new BlockList();
for (const [network, prefix] of rejectedV4) rejected4.addSubnet(network, prefix, 'ipv4');
const rejected6 = new BlockList();
for (const [network, prefix] of rejectedV6) rejected6.addSubnet(network, prefix, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** Whether it is an address on the public Internet. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !rejected4.check(address, 'ipv4');
  return family === 6 && global6.check(address, 'ipv6') && !rejected6.check(address, 'ipv6');
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** A loopback address, which cannot be intercepted. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether the host of a URL is a literal loopback name or address. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || isLoopbackAddress(host.replace(/^\[|\]$/g, ''));
