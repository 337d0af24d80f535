// Conformance of the stand-in for a Vault server. The stand-in (test/support/transit-double.ts) is ours: about 250
// lines written from the public description of the transit engine, with real cryptography, one list of tokens in place
// of policies and no storage. NO real Vault and NO real OpenBao takes part in any test of this repository, because none
// can be had where the tests run. The tests show that two third-party clients of the real ones, hvac for Python and
// node-vault, work with the stand-in unchanged, and that each side unwraps what the other wraps. They find deviations
// of the stand-in from the description that those clients were written from; they cannot find a misreading that all of
// us share.
import { execFile } from 'node:child_process';
import { createSecretKey, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { CircuitBreaker } from '@recordproof/server/platform/circuit-breaker.ts';
import { systemClock } from '@recordproof/server/platform/clock.ts';
import { keyBreaker } from '@recordproof/server/platform/crypto/remote-keys.ts';
import { openTransitKeys } from '@recordproof/server/platform/crypto/vault-transit.ts';
import nodeVault from 'node-vault';
import { expect, test } from 'vitest';
import { testWith } from '../support/programs.ts';
import { startTransitDouble } from '../support/transit-double.ts';

/** Debian's own Python, which has the package. */
const python = '/usr/bin/python3';
const testHvac = testWith(python, '/usr/lib/python3/dist-packages/hvac/__init__.py');

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

type Wrapped = { readonly plaintext: string; readonly context: string; readonly ciphertext: string };

/** A stand-in, and a key that our provider wrapped in it. */
async function openWorld() {
  const vault = await startTransitDouble('a-token');
  vault.addKey('files');
  const log = { info() {}, warn() {} };
  const breaker = new CircuitBreaker('keys', systemClock, keyBreaker(3000));
  const token = { kind: 'value', reveal: () => 'a-token' } as const;
  const options = { address: vault.address, token, mount: 'transit', key: 'files', timeoutMs: 2000 };
  const provider = openTransitKeys(options, { clock: systemClock, log, breaker });
  const [dataKey, binding] = [randomBytes(32), randomBytes(32)];
  const { wrapped } = await provider.wrap(createSecretKey(dataKey), binding);
  const ours: Wrapped = {
    plaintext: dataKey.toString('base64'),
    context: binding.toString('base64'),
    ciphertext: Buffer.from(wrapped).toString(),
  };
  const close = async () => {
    provider[Symbol.dispose]();
    await vault[Symbol.asyncDispose]();
  };
  return { vault, provider, ours, dataKey, binding, [Symbol.asyncDispose]: close };
}

testHvac('hvac works with the stand-in, and unwraps keys of our provider', async () => {
  await using world = await openWorld();
  const { plaintext, context, ciphertext } = world.ours;
  const given = [world.vault.address, 'a-token', plaintext, context, ciphertext];
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

test('node-vault works with the Transit stand-in, and each side decrypts what the other encrypted', async () => {
  await using world = await openWorld();
  const { vault, provider, ours, dataKey, binding } = world;
  const { plaintext, context } = ours;
  const client = nodeVault({ endpoint: vault.address, token: 'a-token' });
  await client.write('transit/keys/theirs', { type: 'aes256-gcm96', derived: true });
  const encrypt = async (key: string): Promise<string> =>
    (await client.encryptData({ name: key, plaintext, context })).data.ciphertext;
  const decrypt = async (key: string, ciphertext: string, under = context): Promise<string> =>
    (await client.decryptData({ name: key, ciphertext, context: under })).data.plaintext;
  const first = await encrypt('theirs');
  await client.write('transit/keys/theirs/rotate', {});
  const { data } = await client.write('transit/rewrap/theirs', { ciphertext: first, context });
  expect([first, data.ciphertext]).toEqual([expect.stringMatching(/^vault:v1:/), expect.stringMatching(/^vault:v2:/)]);
  for (const each of [first, data.ciphertext]) expect(await decrypt('theirs', each)).toBe(plaintext);
  expect((await client.read('transit/keys/theirs')).data).toMatchObject({ latest_version: 2, derived: true });
  expect((await client.tokenLookupSelf()).data.renewable).toBe(true);

  expect(await decrypt('files', ours.ciphertext)).toBe(plaintext);
  const wrapped = {
    keyVersion: '1',
    algorithm: provider.algorithms[0] ?? '',
    wrapped: Buffer.from(await encrypt('files')),
  };
  expect((await provider.unwrap(wrapped, binding)).export().equals(dataKey)).toBe(true);

  const elsewhere = Buffer.from('another context').toString('base64');
  await expect(decrypt('theirs', first, elsewhere)).rejects.toMatchObject({ response: { statusCode: 400 } });
  const stranger = nodeVault({ endpoint: vault.address, token: 'nobody' });
  await expect(stranger.read('transit/keys/theirs')).rejects.toMatchObject({ response: { statusCode: 403 } });
});
