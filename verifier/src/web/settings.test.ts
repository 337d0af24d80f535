// Settings of the verification service: defaults, parsing, invalid values, required combinations.
import { expect, test } from 'vitest';
import { readServiceSettings, settingNames } from './settings.ts';

const online = {
  VERIFIER_ONLINE_ENABLED: 'true',
  VERIFIER_ISSUER_BASE_URI: 'https://issuer.example/base',
  VERIFIER_CHAIN_URL_TEMPLATE: 'https://chain.example/{batchNo}',
  VERIFIER_ALLOWED_HOSTS: 'issuer.example, chain.example',
};

test('without settings the defaults of the specification apply', () => {
  expect(readServiceSettings({})).toEqual({
    host: '127.0.0.1',
    port: 8093,
    maxOriginalBytes: 1073741824,
    maxRequestBytes: 1100 * 1024 * 1024,
    maxConcurrent: 4,
    maxConcurrentPerAddress: 2,
    acquireTimeoutMillis: 100,
    rateLimit: { requests: 20, windowMillis: 60_000, maxClients: 10_000 },
  });
});

test('the smaller of the two file limits applies', () => {
  expect(readServiceSettings({ VERIFIER_MAX_ORIGINAL_FILE_BYTES: '1000' }).maxOriginalBytes).toBe(1000);
  expect(readServiceSettings({ VERIFIER_MULTIPART_MAX_FILE_SIZE: '1KB' }).maxOriginalBytes).toBe(1024);
});

test('sizes and times are parsed exactly', () => {
  const read = (size: string, time: string) => {
    const { maxRequestBytes, acquireTimeoutMillis } = readServiceSettings({
      VERIFIER_MULTIPART_MAX_REQUEST_SIZE: size,
      VERIFIER_ACQUIRE_TIMEOUT: time,
    });
    return [maxRequestBytes, acquireTimeoutMillis];
  };
  expect(read('2TB', '250ms')).toEqual([2 ** 41, 250]);
  expect(read('12', '2h')).toEqual([12, 7_200_000]);
  for (const size of ['0', '-1', '1 GB', '1PB', '0x10', '9007199254740993', '99999999TB'])
    expect(() => read(size, '1s')).toThrow(/^VERIFIER_MULTIPART_MAX_REQUEST_SIZE .* must be a size/);
  for (const time of ['0ms', '100', '1 m', '1M', 'PT1M', '1d', '999999h'])
    expect(() => read('1', time)).toThrow(/^VERIFIER_ACQUIRE_TIMEOUT .* must be a time/);
});

test('every setting rejects invalid values with its name', () => {
  const named = settingNames.filter(name => name !== 'VERIFIER_ALLOWED_HOSTS');
  for (const name of named) expect(() => readServiceSettings({ [name]: ' ' })).toThrow(name);
  expect(() => readServiceSettings({ VERIFIER_PORT: '65536' })).toThrow('from 0 to 65535');
  expect(() => readServiceSettings({ VERIFIER_PORT: 'tcp://10.0.0.1:80' })).toThrow('VERIFIER_PORT');
  expect(() => readServiceSettings({ VERIFIER_MAX_CONCURRENT: '0' })).toThrow('VERIFIER_MAX_CONCURRENT');
  expect(() => readServiceSettings({ VERIFIER_ALLOW_HTTP: 'perhaps' })).toThrow('true or false');
});

test('an unknown name is rejected at the start', () => {
  expect(() => readServiceSettings({ VERIFIER_ALLOWED_HOST: 'x' })).toThrow('Did you mean VERIFIER_ALLOWED_HOSTS?');
  expect(() => readServiceSettings({ OTHER: 'x' })).not.toThrow();
});

test('online mode requires its settings at the start', () => {
  expect(readServiceSettings(online).online).toEqual({
    issuerBaseUrl: 'https://issuer.example/base',
    chainUrlTemplate: 'https://chain.example/{batchNo}',
    allowedHosts: ['issuer.example', 'chain.example'],
    allowHttp: false,
    allowPrivateAddresses: false,
    connectTimeoutMillis: 3000,
    requestTimeoutMillis: 5000,
  });
  for (const missing of ['VERIFIER_ISSUER_BASE_URI', 'VERIFIER_CHAIN_URL_TEMPLATE', 'VERIFIER_ALLOWED_HOSTS'])
    expect(() => readServiceSettings({ ...online, [missing]: undefined })).toThrow(
      /^VERIFIER_ONLINE_ENABLED=true needs/,
    );
  expect(readServiceSettings({ ...online, VERIFIER_ONLINE_ENABLED: 'false' }).online).toBeUndefined();
});

test('unusable addresses are rejected at the start with the names of the settings', () => {
  const rejection = (more: Record<string, string>) => {
    try {
      readServiceSettings({ ...online, ...more });
      return 'accepted';
    } catch (problem) {
      return String(problem);
    }
  };
  expect(rejection({ VERIFIER_ISSUER_BASE_URI: 'http://issuer.example' })).toContain(
    'VERIFIER_ISSUER_BASE_URI must be an',
  );
  expect(rejection({ VERIFIER_ISSUER_BASE_URI: 'issuer' })).toContain('VERIFIER_ISSUER_BASE_URI must be an https');
  expect(rejection({ VERIFIER_CHAIN_URL_TEMPLATE: 'https://c.example/{x}' })).toContain(
    'VERIFIER_CHAIN_URL_TEMPLATE takes',
  );
  expect(rejection({ VERIFIER_ALLOWED_HOSTS: 'issuer.example' })).toContain('does not list the host of VERIFIER_CHAIN');
  expect(rejection({ VERIFIER_ALLOWED_HOSTS: 'a/b' })).toContain('VERIFIER_ALLOWED_HOSTS takes');
});
