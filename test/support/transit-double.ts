// Stand-in for a Vault or OpenBao server with its transit engine, written from their public interface descriptions: no
// such server can be had where the tests run. Two third-party clients must be able to use it
// (test/contracts/transit-clients), which keeps it faithful. Its cryptography is real; its policies are one list of
// operations that the token may not do.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type StoredKey = {
  readonly versions: Buffer[];
  readonly derived: boolean;
  readonly type: string;
  exportable: boolean;
  minDecryptionVersion: number;
  minEncryptionVersion: number;
};
type Token = { ttlSeconds: number; readonly renewable: boolean };
type Fields = Readonly<Record<string, unknown>>;
/** Failures of the next calls of an operation. */
export type InjectedFailure =
  | { readonly kind: 'refuse'; readonly status: number; readonly errors: readonly string[] }
  | { readonly kind: 'silence' }
  | { readonly kind: 'hang-up' }
  | { readonly kind: 'redirect'; readonly to: string }
  /** An answer of the right form: ciphertexts that open nothing, data keys that are random. */
  | { readonly kind: 'lie' }
  | { readonly kind: 'answer'; readonly text: string };

export type TransitDouble = AsyncDisposable & {
  readonly address: string;
  /** `operation path`, in order, without the bodies. */
  readonly calls: string[];
  /** The number of single keys that were wrapped and unwrapped. */
  readonly counted: { wrapped: number; unwrapped: number };
  readonly keys: Map<string, StoredKey>;
  readonly tokens: Map<string, Token>;
  /** Operation (`encrypt`, `decrypt`, `keys`, …) to its failure; `times` counts down. */
  readonly troubles: Map<string, { trouble: InjectedFailure; times: number }>;
  addKey(name: string, more?: Partial<Pick<StoredKey, 'derived' | 'type' | 'exportable'>>): StoredKey;
  rotate(name: string): void;
};

class Rejection extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function startTransitDouble(token = 'test-token'): Promise<TransitDouble> {
  const keys = new Map<string, StoredKey>();
  const tokens = new Map<string, Token>([[token, { ttlSeconds: 3600, renewable: true }]]);
  const counted = { wrapped: 0, unwrapped: 0 };
  const double: Omit<TransitDouble, typeof Symbol.asyncDispose | 'address'> = {
    calls: [],
    counted,
    keys,
    tokens,
    troubles: new Map(),
    addKey(name, { derived = true, type = 'aes256-gcm96', exportable = false } = {}) {
      const key = {
        versions: [randomBytes(32)],
        derived,
        type,
        exportable,
        minDecryptionVersion: 1,
        minEncryptionVersion: 0,
      };
      keys.set(name, key);
      return key;
    },
    rotate(name) {
      getKey(keys, name).versions.push(randomBytes(32));
    },
  };
  const server = createServer((request, response) => {
    answer(double, request, response).catch(() => response.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(double, {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  });
}

type State = Omit<TransitDouble, typeof Symbol.asyncDispose | 'address'>;

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
  const path = (request.url ?? '').replace(/^\/v1\//, '').split('?')[0] ?? '';
  const operation = path.startsWith('auth/token/') ? path.slice('auth/token/'.length) : (path.split('/')[1] ?? '');
  state.calls.push(`${request.method} ${path}`);
  const planned = state.troubles.get(operation);
  const trouble = planned && planned.times-- > 0 ? planned.trouble : undefined;
  if (trouble && trouble.kind !== 'lie') return makeTrouble(trouble, response);
  const write = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(status === 204 ? undefined : JSON.stringify(body));
  };
  try {
    const token = String(request.headers['x-vault-token'] ?? '');
    if (!state.tokens.has(token)) throw new Rejection(403, 'permission denied');
    const body = sent === '' ? {} : (JSON.parse(sent) as Fields);
    const result = serve(state, { method: request.method ?? '', path, operation, token, body });
    if (result === undefined) return write(204, undefined);
    const failed = (result.data as { batch_results?: { error?: string }[] } | undefined)?.batch_results;
    const status = failed?.some(each => each.error) ? Number(body.partial_failure_response_code ?? 400) : 200;
    const told = trouble ? { data: toLie(result.data as Fields) } : result;
    write(status, { request_id: randomUUID(), lease_id: '', renewable: false, lease_duration: 0, ...told });
  } catch (error) {
    const { status = 400, message } = error as Partial<Rejection>;
    write(status, { errors: [message] });
  }
}

function toLie({ batch_results: items, ...data }: Fields): Fields {
  const { ciphertext, plaintext } = data;
  const flipped = (text: string) => {
    const bytes = Buffer.from(text, 'base64');
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    return bytes.toString('base64');
  };
  return {
    ...data,
    ...(Array.isArray(items) && { batch_results: items.map(toLie) }),
    ...(typeof ciphertext === 'string' && { ciphertext: ciphertext.replace(/[^:]+$/, flipped) }),
    ...(typeof plaintext === 'string' && { plaintext: randomBytes(32).toString('base64') }),
  };
}

function makeTrouble(trouble: Exclude<InjectedFailure, { kind: 'lie' }>, response: ServerResponse): void {
  if (trouble.kind === 'silence') return;
  if (trouble.kind === 'hang-up') return void response.destroy();
  if (trouble.kind === 'redirect') return void response.writeHead(307, { location: trouble.to }).end();
  if (trouble.kind === 'answer') return void response.writeHead(200).end(trouble.text);
  response.writeHead(trouble.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ errors: trouble.errors }));
}

type Call = { method: string; path: string; operation: string; token: string; body: Fields };

function serve(state: State, call: Call): { data?: unknown; auth?: unknown } | undefined {
  const name = decodeURIComponent(call.path.split('/')[2] ?? '');
  switch (call.operation) {
    case 'lookup-self':
      return { data: { ttl: lifeOf(state, call).ttlSeconds, renewable: lifeOf(state, call).renewable } };
    case 'renew-self': {
      const life = lifeOf(state, call);
      if (!life.renewable) throw new Rejection(400, 'lease is not renewable');
      return { auth: { client_token: call.token, lease_duration: life.ttlSeconds, renewable: true } };
    }
    case 'keys':
      return serveKeys(state, call, name);
    case 'encrypt':
      if (!state.keys.has(name)) state.addKey(name, { derived: call.body.context !== undefined }); // as the real one does
      return each(call.body, item => encrypt(state, name, item));
    case 'decrypt':
      return each(call.body, item => decrypt(state, name, item));
    case 'rewrap':
      return each(call.body, item => encrypt(state, name, { ...item, ...decrypt(state, name, item) }));
    default:
      throw new Rejection(404, `no handler for route "${call.path}"`);
  }
}

const lifeOf = (state: State, { token }: Call): Token => state.tokens.get(token) as Token;

function getKey(keys: ReadonlyMap<string, StoredKey>, name: string): StoredKey {
  const key = keys.get(name);
  if (!key) throw new Rejection(400, 'encryption key not found');
  return key;
}

function serveKeys(state: State, { method, path, body }: Call, name: string) {
  if (path.endsWith('/rotate')) return void state.rotate(name);
  if (path.endsWith('/config')) {
    const key = getKey(state.keys, name);
    key.minDecryptionVersion = Number(body.min_decryption_version ?? key.minDecryptionVersion);
    key.minEncryptionVersion = Number(body.min_encryption_version ?? key.minEncryptionVersion);
    return undefined;
  }
  if (method !== 'GET') {
    if (!state.keys.has(name)) state.addKey(name, { derived: body.derived === true });
    return undefined;
  }
  const key = state.keys.get(name);
  if (!key) throw new Rejection(404, '');
  const { type, derived, exportable, versions } = key;
  const made = Object.fromEntries(versions.map((_, index) => [index + 1, 1_700_000_000]));
  const minimum = {
    min_decryption_version: key.minDecryptionVersion,
    min_encryption_version: key.minEncryptionVersion,
  };
  return { data: { name, type, derived, exportable, latest_version: versions.length, keys: made, ...minimum } };
}

/** One item, or many that succeed or fail independently. */
function each(body: Fields, work: (item: Fields) => Fields): { data: unknown } {
  if (!Array.isArray(body.batch_input)) return { data: work(body) };
  const attempt = (item: Fields): Fields => {
    try {
      return work(item);
    } catch (error) {
      return { error: (error as Error).message };
    }
  };
  return { data: { batch_results: body.batch_input.map(attempt) } };
}

function toSecret(key: StoredKey, version: number, item: Fields): Buffer {
  const secret = key.versions[version - 1];
  if (!secret) throw new Rejection(400, 'invalid ciphertext: version is too new');
  if (!key.derived) return secret;
  if (typeof item.context !== 'string' || item.context === '')
    throw new Rejection(400, "missing 'context' for key derivation; the key was created using a derived key");
  return Buffer.from(hkdfSync('sha256', secret, '', Buffer.from(item.context, 'base64'), 32));
}

function encrypt(state: State, name: string, item: Fields): Fields {
  const key = getKey(state.keys, name);
  const version = Number(item.key_version ?? key.versions.length);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', toSecret(key, version, item), nonce);
  const plain = Buffer.from(String(item.plaintext), 'base64');
  const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  state.counted.wrapped += 1;
  return { ciphertext: `vault:v${version}:${sealed.toString('base64')}`, key_version: version };
}

function decrypt(state: State, name: string, item: Fields): Fields {
  const key = getKey(state.keys, name);
  const [, number, text] = /^vault:v(\d+):(.+)$/.exec(String(item.ciphertext)) ?? [];
  if (number === undefined || text === undefined) throw new Rejection(400, 'invalid ciphertext: no prefix');
  if (Number(number) < key.minDecryptionVersion)
    throw new Rejection(400, 'ciphertext or signature version is disallowed by policy (too old)');
  const bytes = Buffer.from(text, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', toSecret(key, Number(number), item), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    state.counted.unwrapped += 1;
    return { plaintext: plain.toString('base64') };
  } catch {
    throw new Rejection(400, 'cipher: message authentication failed');
  }
}
