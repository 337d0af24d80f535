// Options of `verify`: defaults, archive beside the file, server shorthand, addresses and hosts.
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { expect, test } from 'vitest';
import { parseOnlineSettings, toChainUrl, toUrlUnder } from './online/online-settings.ts';
import { parseVerifyOptions } from './verify-options.ts';

const needed = ['--file', 'a', '--proof', 'b'];
const online = [
  '--online',
  '--issuer-base-url=https://issuer.example/rp/',
  '--chain-url-template=https://chain.example/r/{chainType}/{chainId}/{groupId}/{contractAddress}/{batchNo}',
  '--allow-host=issuer.example',
  '--allow-host=chain.example',
];

test('file and proof are enough', () => {
  expect(parseVerifyOptions(needed)).toEqual({
    file: 'a',
    proof: 'b',
    format: 'text',
    isComplete: false,
    isBeside: false,
    requireTrustedKey: false,
    maxFileBytes: 2 ** 40,
  });
});

test('everything can be given', () => {
  const more = ['--trusted-key=k', '--format=json', '--max-file-bytes=5GB', ...online];
  expect(parseVerifyOptions([...needed, ...more])).toMatchObject({
    trustedKey: 'k',
    format: 'json',
    maxFileBytes: 5 * 2 ** 30,
    online: { allowedHosts: ['issuer.example', 'chain.example'], allowHttp: false, allowPrivateAddresses: false },
  });
});

test('a file alone has its archive beside it', () => {
  expect(parseVerifyOptions(['a'])).toMatchObject({ file: 'a', proof: 'a.proof.zip', isBeside: true });
  expect(parseVerifyOptions(['a', 'b', '--all'])).toMatchObject({ file: 'a', proof: 'b', isComplete: true });
});

test('a server is short for its issuer, its chain and its host', () => {
  expect(parseVerifyOptions(['a', '--server', 'http://127.0.0.1:8080/']).online).toEqual({
    issuerBaseUrl: 'http://127.0.0.1:8080',
    ledgerUrl: 'http://127.0.0.1:8080/ledger',
    chainUrlTemplate:
      'http://127.0.0.1:8080/api/v1/public/chain-roots/{chainType}/{chainId}/{groupId}/{contractAddress}/{batchNo}',
    allowedHosts: ['127.0.0.1:8080'],
    allowHttp: false,
    allowPrivateAddresses: false,
  });
});

test.each<[string, string[]]>([
  ['no file', ['--proof', 'b']],
  ['no proof', ['--file', 'a']],
  ['an unknown option', [...needed, '--verbose']],
  ['the file named twice', [...needed, 'c']],
  ['the archive named twice', ['a', 'c', '--proof=b']],
  ['three arguments', ['a', 'b', 'c']],
  ['a server and an issuer', ['a', '--server=https://x.example', '--issuer-base-url=https://y.example']],
  ['a server that is no address', ['a', '--server=x.example']],
  ['a server with a query', ['a', '--server=https://x.example/?a']],
  ['standard input without an archive', ['-']],
  ['an option twice', [...needed, '--file', 'c']],
  ['an option without value', ['--file', 'a', '--proof']],
  ['an empty value', ['--file=', '--proof=b']],
  ['a value for a switch', [...needed, '--online=yes']],
  ['another format', [...needed, '--format=xml']],
  ['a size of zero', [...needed, '--max-file-bytes=0']],
  ['a size with an unknown unit', [...needed, '--max-file-bytes=1PB']],
  ['a size beyond counting', [...needed, '--max-file-bytes=99999999999999999']],
  ['the proof from standard input', ['--file=a', '--proof=-']],
  ['online alone', [...needed, '--online']],
  ['online without issuer', [...needed, ...online.toSpliced(1, 1)]],
  ['online without template', [...needed, ...online.toSpliced(2, 1)]],
  ['online without host', [...needed, ...online.slice(0, 3)]],
  ['an issuer without online', [...needed, '--issuer-base-url=https://issuer.example']],
  ['a template without online', [...needed, '--chain-url-template=https://x/{batchNo}']],
  ['a host without online', [...needed, '--allow-host=x']],
  ['plain HTTP without online', [...needed, '--allow-http']],
  ['private addresses without online', [...needed, '--allow-private-addresses']],
])('%s is a wrong use', (_, args) => {
  expect(() => parseVerifyOptions(args)).toThrow(UsageError);
});

const settings = (changes: object) => {
  const options = parseVerifyOptions([...needed, ...online]).online;
  if (options === undefined) throw new Error('not online');
  return parseOnlineSettings({ ...options, ...changes });
};

test('addresses are made from what the caller gave and checked names only', () => {
  const { issuerBase, chainTemplate } = settings({});
  expect(toUrlUnder(issuerBase, '/api/x').href).toBe('https://issuer.example/rp/api/x');
  const address = { chainType: 'EVM', chainId: '1', groupId: 'default', contractAddress: '0xab', batchNo: 'MB/../1' };
  expect(toChainUrl(chainTemplate, address).href).toBe('https://chain.example/r/EVM/1/default/0xab/MB%2F..%2F1');
});

test.each<[string, object]>([
  ['an issuer that is no address', { issuerBaseUrl: 'issuer.example' }],
  ['an issuer in a file', { issuerBaseUrl: 'file:///etc/passwd' }],
  ['credentials', { issuerBaseUrl: 'https://me:secret@issuer.example' }],
  ['a query in the issuer', { issuerBaseUrl: 'https://issuer.example/?x' }],
  ['a fragment', { issuerBaseUrl: 'https://issuer.example/#x' }],
  ['no batch in the template', { chainUrlTemplate: 'https://chain.example/{chainId}' }],
  ['an unknown placeholder', { chainUrlTemplate: 'https://chain.example/{batchNo}/{tenant}' }],
  ['an open brace', { chainUrlTemplate: 'https://chain.example/{batchNo}/{' }],
  ['a placeholder in the host', { chainUrlTemplate: 'https://{chainId}.example/{batchNo}' }],
  ['a placeholder in the port', { chainUrlTemplate: 'https://chain.example:{batchNo}/' }],
  ['a host with a path', { allowedHosts: ['chain.example/x'] }],
  ['a host with credentials', { allowedHosts: ['a@chain.example'] }],
  ['an empty host', { allowedHosts: [''] }],
])('%s is a wrong use', (_, changes) => {
  expect(() => settings(changes)).toThrow(UsageError);
});

test('hosts are compared in the form that addresses have', () => {
  const { allowedHosts } = settings({
    allowedHosts: ['Issuer.Example', 'chain.example:8443', '::1', '[::1]:81', '127.1'],
  });
  expect(allowedHosts).toEqual(['issuer.example', 'chain.example:8443', '[::1]', '[::1]:81', '127.0.0.1']);
});
