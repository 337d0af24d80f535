// What keeps the stand-in of a Vault server honest: a client that other people wrote for the real one drives it, and what
// each of the two wraps the other unwraps. No real Vault takes part.
import { execFile } from 'node:child_process';
import { createSecretKey, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { CircuitBreaker } from '@recordproof/server/platform/circuit-breaker.ts';
import { systemClock } from '@recordproof/server/platform/clock.ts';
import { openTransitKeys, transitBreaker } from '@recordproof/server/platform/crypto/vault-transit.ts';
import { expect } from 'vitest';
import { testWith } from '../support/programs.ts';
import { startTransitDouble } from '../support/transit-double.ts';

/** Debian's own, which has the package. */
const python = '/usr/bin/python3';
const test = testWith(python, '/usr/lib/python3/dist-packages/hvac/__init__.py');

const script = `
import base64, hvac, json, sys
address, token, plaintext, context, foreign = sys.argv[1:]
client = hvac.Client(url=address, token=token)
transit = client.secrets.transit
transit.create_key(name='theirs', derived=True)
first = transit.encrypt_data(name='theirs', plaintext=plaintext, context=context)['data']['ciphertext']
transit.rotate_key(name='theirs')
rewrapped = transit.rewrap_data(name='theirs', ciphertext=first, context=context)['data']['ciphertext']
read = transit.read_key(name='theirs')['data']
opened = [transit.decrypt_data(name='theirs', ciphertext=each, context=context)['data']['plaintext'] for each in (first, rewrapped)]
batch = transit.encrypt_data(name='theirs', plaintext='', batch_input=[{'plaintext': plaintext, 'context': context}] * 2)
def refused(work):
    try:
        work()
        return None
    except hvac.exceptions.VaultError as error:
        return type(error).__name__
print(json.dumps({
    'first': first, 'rewrapped': rewrapped, 'latest': read['latest_version'], 'derived': read['derived'], 'opened': opened,
    'batch': len(batch['data']['batch_results']),
    'foreign': transit.decrypt_data(name='files', ciphertext=foreign, context=context)['data']['plaintext'],
    'elsewhere': refused(lambda: transit.decrypt_data(name='theirs', ciphertext=first, context=base64.b64encode(b'else').decode())),
    'stranger': refused(lambda: hvac.Client(url=address, token='nobody').secrets.transit.read_key(name='theirs')),
    'renewable': client.lookup_token()['data']['renewable'],
}))
`;

test('a client of other people drives the stand-in, and opens what our provider wrapped', async () => {
  await using vault = await startTransitDouble('a-token');
  vault.addKey('files');
  const log = { info() {}, warn() {} };
  const breaker = new CircuitBreaker('keys', systemClock, transitBreaker(2000));
  const token = { kind: 'value', reveal: () => 'a-token' } as const;
  const options = { address: vault.address, token, mount: 'transit', key: 'files', timeoutMs: 2000 };
  using provider = openTransitKeys(options, { clock: systemClock, log, breaker });
  const [dataKey, binding] = [randomBytes(32), randomBytes(32)];
  const ours = await provider.wrap(createSecretKey(dataKey), binding);
  const plaintext = dataKey.toString('base64');
  const given = [vault.address, 'a-token', plaintext, binding.toString('base64'), Buffer.from(ours.wrapped).toString()];
  const { stdout } = await promisify(execFile)(python, ['-c', script, ...given]);
  expect(JSON.parse(stdout)).toEqual({
    first: expect.stringMatching(/^vault:v1:/),
    rewrapped: expect.stringMatching(/^vault:v2:/),
    latest: 2,
    derived: true,
    opened: [plaintext, plaintext],
    batch: 2,
    foreign: plaintext,
    elsewhere: 'InvalidRequest',
    stranger: 'Forbidden',
    renewable: true,
  });
});
