// Keys of rate limits by IP address and by network, for IPv4 and IPv6.
import { expect, test } from 'vitest';
import { toAddressKey, toNetworkKey } from './rate-limit.ts';

test.each([
  ['203.0.113.7', 'ip:203.0.113.7'],
  ['::ffff:203.0.113.7', 'ip:203.0.113.7'],
  ['::ffff:cb00:7107', 'ip:203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', 'ip:2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', 'ip:2001:db8:1:2::/64'],
  ['2001:db8::1', 'ip:2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'ip:fe80:0:0:0::/64'],
  ['::1', 'ip:0:0:0:0::/64'],
  ['unknown:port', 'ip:unknown:port'],
])('%s is counted as %s', (ip, key) => {
  expect(toAddressKey(ip)).toBe(key);
});

test.each([
  ['203.0.113.7', 'net:203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', 'net:2001:db8:1::/48'],
  ['2001:db8::1', 'net:2001:db8:0::/48'],
])('%s is in the network %s', (ip, key) => {
  expect(toNetworkKey(ip)).toBe(key);
});
