// Batching of concurrent operations of a remote key service, and failures of a batch.
import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { movableClock } from '../../../../test/support/clock.ts';
import { startTransitDouble } from '../../../../test/support/transit-double.ts';
import { CircuitBreaker } from '../circuit-breaker.ts';
import { isSameKey, KeyProviderError } from './envelope.ts';
import { coalesceCalls, keyBreaker } from './remote-keys.ts';
import { openTransitKeys } from './vault-transit.ts';

const token = 'hvs.a-token-of-a-test';
const newKey = () => createSecretKey(randomBytes(32));

test('concurrent key operations are sent in one call, and a damaged key fails alone', async () => {
  await using vault = await startTransitDouble(token);
  vault.addKey('files');
  const clock = movableClock();
  using direct = openTransitKeys(
    {
      address: vault.address,
      token: { kind: 'value', reveal: () => token },
      mount: 'transit',
      key: 'files',
      timeoutMs: 5000,
    },
    { clock, log: { info() {}, warn() {} }, breaker: new CircuitBreaker('keys', clock, keyBreaker(5000)) },
  );
  const provider = coalesceCalls(direct);
  const wishes = Array.from({ length: 30 }, () => ({ dataKey: newKey(), binding: randomBytes(32) }));
  const wrapped = await Promise.all(wishes.map(({ dataKey, binding }) => provider.wrap(dataKey, binding)));
  const opened = await Promise.allSettled(
    wrapped.map((each, index) =>
      provider.unwrap(each, index === 4 ? randomBytes(32) : (wishes[index]?.binding ?? Buffer.alloc(0))),
    ),
  );
  for (const [index, each] of opened.entries()) {
    if (index === 4) expect(each).toMatchObject({ status: 'rejected', reason: { category: 'INVALID_CIPHERTEXT' } });
    else expect(each.status === 'fulfilled' && isSameKey(each.value, wishes[index]?.dataKey ?? newKey())).toBe(true);
  }
  const asked = (operation: string) => vault.calls.filter(call => call.includes(operation)).length;
  expect([asked('encrypt'), asked('decrypt')]).toEqual([1, 1]);
});

test('a failed call fails all of its keys', async () => {
  await using vault = await startTransitDouble(token);
  const clock = movableClock();
  using direct = openTransitKeys(
    {
      address: vault.address,
      token: { kind: 'value', reveal: () => token },
      mount: 'transit',
      key: 'files',
      timeoutMs: 5000,
    },
    { clock, log: { info() {}, warn() {} }, breaker: new CircuitBreaker('keys', clock, keyBreaker(5000)) },
  );
  const provider = coalesceCalls(direct);
  const ends = await Promise.allSettled(Array.from({ length: 3 }, () => provider.wrap(newKey(), randomBytes(32))));
  for (const end of ends) expect(end.status === 'rejected' && end.reason).toBeInstanceOf(KeyProviderError);
});
