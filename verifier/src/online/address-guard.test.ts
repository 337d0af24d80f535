// Public and non-public addresses, IPv4 and IPv6.
import { expect, test } from 'vitest';
import { isPublicAddress } from './address-guard.ts';

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.0.1',
  '172.32.0.1',
  '193.0.0.1',
  '223.255.255.255',
])('%s is public', address => expect(isPublicAddress(address)).toBe(true));

test.each(['2606:4700:4700::1111', '2a00:1450:4001::1', '2001:200::1'])('%s is public', address =>
  expect(isPublicAddress(address)).toBe(true),
);

test.each([
  ['this network', '0.0.0.0'],
  ['private', '10.1.2.3'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['shared (CGNAT)', '100.64.0.1'],
  ['shared (CGNAT)', '100.127.255.255'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['link-local', '169.254.169.254'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['benchmarking', '198.19.0.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['a zone on a public address', '2606:4700::1%1'],
  ['unique local', 'fd00::1'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
  ['IPv4-mapped loopback in hex', '::ffff:7f00:1'],
  ['IPv4-mapped public', '::ffff:8.8.8.8'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['translated', '64:ff9b::7f00:1'],
  ['locally translated', '64:ff9b:1::7f00:1'],
  ['6to4', '2002:7f00:1::1'],
  ['Teredo', '2001::7f00:1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['discard', '100::1'],
  ['segment routing', '5f00::1'],
  ['a name', 'localhost'],
  ['an old spelling', '127.1'],
  ['a number', '2130706433'],
  ['nothing', ''],
])('%s %s is rejected', (_, address) => expect(isPublicAddress(address)).toBe(false));
