// Uploads through a drop link, for its page and the command line: resumes after failures, and repeats a call whose
// answer was lost. Uses plain requests, because the page loads no schemas.
import { toError } from '../api/client.ts';
import type { SentFile } from '../api/drop-senders.ts';
import { type Clock, HttpBroken, hostOf, systemClock } from './ports.ts';
import { defaultRetryPolicy, type RetryPolicy, withRetries } from './retry.ts';
import { TransferError } from './transfer-error.ts';
import type { OnWait } from './wait.ts';

export type DropFile = {
  /** The same for the same file, so that a later run resumes it. */
  readonly key: string;
  readonly name: string;
  /** Its folder, as a relative path. */
  readonly path?: string | undefined;
  readonly type: string;
  /** Read in pieces. */
  readonly blob: Blob;
  readonly contentHash?: string | undefined;
};

type Started = SentFile & {
  readonly chunkSize: number;
  readonly totalChunks: number;
  readonly uploadedChunks: readonly number[];
};

export type DropPorts = {
  readonly baseUrl: string;
  readonly code: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock?: Clock;
  readonly policy?: RetryPolicy;
  readonly onWait?: OnWait;
};

export type DropSender = {
  send(file: DropFile, run?: { signal?: AbortSignal; onProgress?: (bytes: number) => void }): Promise<SentFile>;
  list(): Promise<SentFile[]>;
  cancel(id: string): Promise<void>;
  receipt(id: string): Promise<Blob>;
  /** Rejects with CONFLICT until the proof is issued. */
  proof(id: string): Promise<Blob>;
};

const neverAborted = new AbortController().signal;

type Call = {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly bytes?: Blob;
  readonly signal?: AbortSignal | undefined;
};

/** `sender`: the token of this sender, from `enterDrop`. */
export function openDropSender(ports: DropPorts, sender: string): DropSender {
  const ask = (call: Call) => request(ports, { 'x-drop-sender': sender }, call);
  const askJson = async <T>(call: Call): Promise<T> => ((await (await ask(call)).json()) as { data: T }).data;
  const one = (id: string) => `/files/${encodeURIComponent(id)}`;

  async function send(file: DropFile, { signal, onProgress }: Parameters<DropSender['send']>[1] = {}) {
    const { key, name: fileName, path, type: contentType, blob, contentHash } = file;
    const body = { key, fileName, path, fileSize: blob.size, contentType, contentHash };
    const started = await askJson<Started>({ method: 'POST', path: '/files', body, signal });
    if (started.state === 'COMPLETED') {
      onProgress?.(blob.size);
      return started;
    }
    const { id, chunkSize, totalChunks, uploadedChunks } = started;
    const present = new Set(uploadedChunks);
    const piece = (index: number) => blob.slice(index * chunkSize, (index + 1) * chunkSize);
    let sent = uploadedChunks.reduce((sum, index) => sum + piece(index).size, 0);
    onProgress?.(sent);
    for (let index = 0; index < totalChunks; index += 1) {
      if (present.has(index)) continue;
      const bytes = piece(index);
      await ask({ method: 'PUT', path: `${one(id)}/parts/${index}`, bytes, signal });
      sent += bytes.size;
      onProgress?.(sent);
    }
    return askJson<SentFile>({ method: 'POST', path: `${one(id)}/complete`, signal });
  }

  return {
    send,
    list: () => askJson<SentFile[]>({ method: 'GET', path: '/files' }),
    cancel: async id => void (await ask({ method: 'DELETE', path: one(id) })),
    receipt: async id => (await ask({ method: 'GET', path: `${one(id)}/receipt` })).blob(),
    proof: async id => (await ask({ method: 'GET', path: `${one(id)}/proof` })).blob(),
  };
}

export async function enterDrop(
  ports: DropPorts,
  body: { readonly password?: string | undefined; readonly fields: Readonly<Record<string, string>> },
): Promise<string> {
  const answer = await request(ports, {}, { method: 'POST', path: '/senders', body });
  return ((await answer.json()) as { data: { sender: string } }).data.sender;
}

function request(ports: DropPorts, headers: Record<string, string>, call: Call): Promise<Response> {
  const { clock = systemClock, policy = defaultRetryPolicy, onWait } = ports;
  const { signal = neverAborted } = call;
  return withRetries({ clock, policy, signal, onWait }, call.path, async () => {
    const response = await reach(ports, headers, call);
    if (response.ok) return response;
    throw await toError(response);
  });
}

async function reach(
  { fetch, baseUrl, code }: DropPorts,
  headers: Record<string, string>,
  { method, path, body, bytes, signal }: Call,
): Promise<Response> {
  const type = bytes ? 'application/octet-stream' : body === undefined ? undefined : 'application/json';
  const url = `${baseUrl.replace(/\/+$/, '')}/api/v1/drop/${encodeURIComponent(code)}${path}`;
  try {
    return await fetch(url, {
      method,
      headers: { ...headers, ...(type && { 'content-type': type }) },
      ...(bytes ? { body: bytes } : body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    await bytes?.slice(0, 1).arrayBuffer().catch(rejectChanged);
    const message = `the connection to ${hostOf(url)} was lost: check the network, then send the file again`;
    throw new HttpBroken(message, error);
  }
}

/** A changed file looks like a broken connection, and no repetition would succeed. */
function rejectChanged(cause: unknown): never {
  throw new TransferError('source-changed', 'the file was changed while it was sent, or can no longer be read', cause);
}
