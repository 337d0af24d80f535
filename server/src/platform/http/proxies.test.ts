// Reports of an untrusted proxy: in health, and in the log once an hour.
import { expect, test } from 'vitest';
import { movableClock } from '../../../../test/support/clock.ts';
import { silentLog } from '../telemetry/log.ts';
import { Proxies } from './proxies.ts';

const proxy = '10.0.0.1';
const open = (...trusted: string[]) => new Proxies(trusted, { clock: movableClock(), log: silentLog });

test.each([
  ['203.0.113.5', '203.0.113.5'],
  ['203.0.113.5:1000', '203.0.113.5'],
  ['"203.0.113.5:1000"', '203.0.113.5'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['[2001:DB8:0:0::7]:443', '2001:db8::7'],
  ['"[2001:db8::7]:443"', '2001:db8::7'],
  ['2001:db8::7', '2001:db8::7'],
  ['::ffff:203.0.113.5', '203.0.113.5'],
  ['::ffff:cb00:7105', '203.0.113.5'],
  ['[0:0:0:0:0:ffff:cb00:7105]:80', '203.0.113.5'],
  ['garbage1', proxy],
  ['garbage1, 203.0.113.5', '203.0.113.5'],
  ['203.0.113.5, garbage1', proxy],
  ['203.0.113.5, 10.9.9.9', '203.0.113.5'],
  ['10.8.8.8, 10.9.9.9', '10.8.8.8'],
  ['198.51.100.1, 203.0.113.5', '203.0.113.5'],
  ['unknown', proxy],
  ['_hidden', proxy],
  ['', proxy],
  [',', proxy],
  ['1.2.3', proxy],
  ['1.2.3.4.5', proxy],
  ['999.1.1.1', proxy],
  ['[::1', proxy],
  ['203.0.113.5:', proxy],
  ['203.0.113.5:123456', proxy],
  ['x'.repeat(5000), proxy],
  ['1'.repeat(5000), proxy],
])('behind a trusted proxy with the header %s the client is %s', (forwarded, client) => {
  const proxies = open('10.0.0.0/8');
  expect(proxies.clientAddress(proxy, { 'x-forwarded-for': forwarded })).toBe(client);
  expect(proxies.clientAddress(`::ffff:${proxy}`, { 'x-forwarded-for': forwarded })).toBe(client);
  expect(proxies.clientAddress('192.0.2.1', { 'x-forwarded-for': forwarded })).toBe('192.0.2.1');
});

test.each([
  ['loopback', '127.0.0.1'],
  ['loopback', '::1'],
  ['uniquelocal', 'fd00::1'],
  ['linklocal', 'fe80::1%eth0'],
  ['2001:db8::/32', '2001:db8:1::1'],
  ['192.0.2.7', '192.0.2.7'],
])('%s includes %s', (network, peer) => {
  expect(open(network).clientAddress(peer, { 'x-forwarded-for': '203.0.113.5' })).toBe('203.0.113.5');
});

test('an untrusted proxy is reported in health, and logged once an hour', () => {
  const clock = movableClock();
  const warned: object[] = [];
  const log = { info: () => undefined, warn: (fields: object) => void warned.push(fields) };
  const proxies = new Proxies(['10.0.0.1'], { clock, log });
  proxies.clientAddress('192.0.2.1', {});
  proxies.clientAddress(proxy, { 'x-forwarded-for': '203.0.113.5' });
  expect(proxies.health()).toEqual({ status: 'UP', details: {} });
  for (let i = 0; i < 10; i += 1) proxies.clientAddress('192.0.2.1', { forwarded: 'for=203.0.113.5' });
  expect(proxies.health()).toMatchObject({ details: { warning: expect.stringContaining('192.0.2.1') } });
  expect(warned).toEqual([{ peer: '192.0.2.1' }]);
  clock.advance(3600_000);
  proxies.clientAddress('192.0.2.1', { 'x-forwarded-for': '203.0.113.5' });
  expect(warned).toHaveLength(2);
});
