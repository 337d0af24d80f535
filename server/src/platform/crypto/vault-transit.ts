// Key provider `vault-transit`, contract 1: data keys wrapped by the transit engine of Vault or OpenBao under a derived
// key. The derivation takes the binding, so nothing opens under another one. The engine's keys never leave it. Rejects
// keys that are not derived, are exportable or have another purpose.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import {
  assertDataKey,
  type KeyProvider,
  KeyProviderError,
  type Outcome,
  type UnwrapRequest,
  type WrappedKey,
  type WrapRequest,
} from './envelope.ts';
import { only } from './remote-keys.ts';
import { VaultClient, type VaultOptions, type VaultTools } from './vault-client.ts';
import { toRejection } from './vault-errors.ts';

const transitAlgorithm = 'VAULT-TRANSIT-AES256-GCM96-DERIVED';

export type TransitOptions = VaultOptions & { readonly mount: string; readonly key: string };
export type TransitKeys = KeyProvider & Disposable & { renewTokenIfDue(): Promise<void> };

const ciphertextShape = /^vault:v([1-9]\d{0,8}):[A-Za-z0-9+/]{16,512}={0,2}$/;
const dataKeyBytes = 32;
const mostAtOnce = 500;

const keyAnswer = z.object({
  data: z.object({
    type: z.string(),
    derived: z.boolean().default(false),
    exportable: z.boolean().default(false),
    allow_plaintext_backup: z.boolean().default(false),
    latest_version: z.int().positive(),
    min_encryption_version: z.int().nonnegative().default(0),
  }),
});
type TransitKey = z.infer<typeof keyAnswer>['data'];

const batchItem = z.object({
  ciphertext: z.string().optional(),
  plaintext: z.string().optional(),
  error: z.string().optional(),
});
const batchAnswer = z.object({ data: z.object({ batch_results: z.array(batchItem) }) });
type BatchItem = z.infer<typeof batchItem>;

export function openTransitKeys(options: TransitOptions, tools: VaultTools): TransitKeys {
  return new TransitProvider(options, new VaultClient(options, tools));
}

class TransitProvider implements TransitKeys {
  readonly id = 'vault-transit';
  readonly contract = 1;
  readonly operations = ['wrap', 'unwrap', 'read-key'] as const;
  readonly algorithms = [transitAlgorithm];
  readonly many = {
    mostAtOnce,
    wrap: (requests: readonly WrapRequest[]) => this.#wrapMany(requests),
    unwrap: (requests: readonly UnwrapRequest[]) => this.#unwrapMany(requests),
  };
  readonly #client: VaultClient;
  readonly #mount: string;
  readonly #key: string;
  /** The subject of error sentences. */
  readonly #keyName: string;
  #isChecked = false;

  constructor({ mount, key }: TransitOptions, client: VaultClient) {
    this.#client = client;
    this.#mount = mount.split('/').map(encodeURIComponent).join('/');
    this.#key = encodeURIComponent(key);
    this.#keyName = `the key "${key}" in the mount "${mount}" of the key service`;
  }

  async activeKeyVersion(): Promise<string> {
    return String((await this.#readKey()).latest_version);
  }

  async wrap(dataKey: KeyObject, binding: Uint8Array): Promise<WrappedKey> {
    return only(await this.#wrapMany([{ dataKey, binding }]));
  }

  async unwrap(wrapped: WrappedKey, binding: Uint8Array): Promise<KeyObject> {
    return only(await this.#unwrapMany([{ wrapped, binding }]));
  }

  renewTokenIfDue = (): Promise<void> => this.#client.token.renewIfDue();

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  /** On encryption the service would create a missing key, so the key is looked up once before. */
  async #wrapMany(requests: readonly WrapRequest[]): Promise<Outcome<WrappedKey>[]> {
    if (!this.#isChecked) await this.#readKey();
    const results = await this.#ask(
      'encrypt',
      requests.map(({ dataKey, binding }) => ({ plaintext: toText(dataKey), context: toBase64(binding) })),
    );
    return results.map(toWrapped);
  }

  async #unwrapMany(requests: readonly UnwrapRequest[]): Promise<Outcome<KeyObject>[]> {
    const ciphertexts = requests.map(({ wrapped }) => toCiphertext(wrapped));
    const items = requests.flatMap(({ binding }, index) => {
      const ciphertext = ciphertexts[index];
      return typeof ciphertext === 'string' ? [{ ciphertext, context: toBase64(binding) }] : [];
    });
    const results = items.length === 0 ? [] : await this.#ask('decrypt', items);
    let next = 0;
    return ciphertexts.map(each => (typeof each === 'string' ? toDataKey(results[next++]) : each));
  }

  async #ask(operation: 'encrypt' | 'decrypt', items: readonly object[]): Promise<readonly BatchItem[]> {
    const { data } = await this.#client.call({
      method: 'POST',
      path: `${this.#mount}/${operation}/${this.#key}`,
      body: { batch_input: items },
      answer: batchAnswer,
    });
    if (data.batch_results.length === items.length) return data.batch_results;
    throw new KeyProviderError(
      'INVALID_RESPONSE',
      `the key service returned ${data.batch_results.length} results for ${items.length} keys; check that it supports batch_input`,
    );
  }

  async #readKey(): Promise<TransitKey> {
    const path = `${this.#mount}/keys/${this.#key}`;
    const { data } = await this.#client.call({ method: 'GET', path, answer: keyAnswer });
    const rejected = findFault(data);
    if (rejected !== null) throw new KeyProviderError('CONFIGURATION', `${this.#keyName} ${rejected}`);
    this.#isChecked = true;
    return data;
  }
}

function findFault(key: TransitKey): string | null {
  if (key.type !== 'aes256-gcm96') return `is of type ${key.type.slice(0, 40)}; make one of type aes256-gcm96`;
  if (!key.derived) return 'is not derived; make one with derived=true';
  if (key.exportable || key.allow_plaintext_backup) return 'can be exported; make one that cannot';
  return null;
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

function toText(dataKey: KeyObject): string {
  const plain = dataKey.export();
  assertDataKey(plain);
  const text = plain.toString('base64');
  plain.fill(0);
  return text;
}

/** In the service's own format, so that its tools can read it. */
function toCiphertext({ algorithm, keyVersion, wrapped }: WrappedKey): Outcome<string> {
  const text = Buffer.from(wrapped).toString('latin1');
  if (algorithm === transitAlgorithm && ciphertextShape.exec(text)?.[1] === keyVersion) return text;
  return new KeyProviderError('INVALID_CIPHERTEXT', 'this key was not wrapped by the key service');
}

function toWrapped({ ciphertext, error }: BatchItem): Outcome<WrappedKey> {
  if (error !== undefined && error !== '') return toRejection(400, [error]);
  const keyVersion = ciphertextShape.exec(ciphertext ?? '')?.[1];
  if (ciphertext === undefined || keyVersion === undefined)
    return new KeyProviderError('INVALID_RESPONSE', 'the key service returned something that is not a wrapped key');
  return { keyVersion, algorithm: transitAlgorithm, wrapped: Buffer.from(ciphertext, 'latin1') };
}

function toDataKey(result: BatchItem | undefined): Outcome<KeyObject> {
  if (result?.error !== undefined && result.error !== '') return toRejection(400, [result.error]);
  const plain = Buffer.from(result?.plaintext ?? '', 'base64');
  if (plain.length !== dataKeyBytes)
    return new KeyProviderError('INVALID_RESPONSE', 'the key service answered with a key of the wrong length');
  const key = createSecretKey(plain);
  plain.fill(0);
  return key;
}
