// An HTTP client for logs: checkpoint and tiles, limited in time and size. Responses are untrusted until verified.
// Retry-After is honoured, within a limit.
import type { Fetch } from '../api/client.ts';
import { joinBytes } from './digest.ts';
import type { ReadTile } from './log-reader.ts';

const maxBytes = 2 * 1024 * 1024;
const attempts = 5;
const longestPauseSeconds = 70;

/** No usable response; the log itself may be intact. */
export class LogUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'LogUnavailable';
  }
}

export type HttpLog = {
  readCheckpoint(): Promise<Uint8Array>;
  /** The verifier key stated by the log: only as trustworthy as the connection. */
  readKey(): Promise<string>;
  readonly readTile: ReadTile;
};

type HttpLogOptions = {
  /** The URL of `checkpoint` and `tile/`, with or without a trailing slash. */
  readonly baseUrl: string;
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  readonly fetch?: Fetch;
};

export function openHttpLog({
  baseUrl,
  timeoutMs = 30_000,
  userAgent,
  fetch = globalThis.fetch,
}: HttpLogOptions): HttpLog {
  const base = `${baseUrl.replace(/\/+$/, '')}/`;
  const headers = userAgent === undefined ? {} : { 'user-agent': userAgent };
  const ask = async (path: string, cache: RequestCache): Promise<Response> => {
    try {
      return await fetch(base + path, { headers, cache, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      throw new LogUnavailable(`${base}${path} does not answer`, error);
    }
  };
  const read = async (path: string, cache: RequestCache = 'default'): Promise<Uint8Array> => {
    for (let attempt = 1; ; attempt++) {
      const response = await ask(path, cache);
      if (response.ok) return readBody(response, base + path);
      await response.body?.cancel();
      if (response.status !== 429 || attempt === attempts)
        throw new LogUnavailable(`${base}${path} answers ${response.status}`);
      await pause(Number(response.headers.get('retry-after')));
    }
  };
  return {
    readCheckpoint: () => read('checkpoint', 'no-store'),
    readKey: async () => new TextDecoder().decode(await read('key', 'no-store')).trim(),
    readTile: path => read(path),
  };
}

async function readBody(response: Response, what: string): Promise<Uint8Array> {
  const blocks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const block of response.body ?? []) {
      size += block.length;
      if (size > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`);
      blocks.push(block);
    }
  } catch (error) {
    throw new LogUnavailable(`the answer of ${what} broke off or exceeds ${maxBytes} bytes`, error);
  }
  return joinBytes(blocks);
}

const pause = (seconds: number): Promise<void> =>
  new Promise(resolve => {
    setTimeout(resolve, 1000 * (seconds > 0 ? Math.min(seconds, longestPauseSeconds) : 1));
  });
