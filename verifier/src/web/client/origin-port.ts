// The page's side of queries to its own server: fetches public paths for the worker.
import type { Lookup } from '../../verify/live-evidence.ts';

export type OriginQuestion = { readonly at: number; readonly path: string; readonly maxBytes: number };
export type OriginAnswer = { readonly at: number; readonly lookup: Lookup<Uint8Array> };

const timeoutMs = 15_000;

/** For the worker. Sends no cookies, follows no redirects, and fetches only public paths. */
export function openOriginPort(signal?: AbortSignal): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = async ({ data: { at, path, maxBytes } }: MessageEvent<OriginQuestion>) =>
    port1.postMessage({ at, lookup: await fetchBytes(path, maxBytes, signal) } satisfies OriginAnswer);
  return port2;
}

const isPublic = (path: string): boolean => /^\/(api\/v1\/public|ledger)\/(?!.*\.\.)[\w/.%~-]+$/.test(path);

async function fetchBytes(path: string, maxBytes: number, signal?: AbortSignal): Promise<Lookup<Uint8Array>> {
  if (!isPublic(path)) return { kind: 'unavailable', reason: 'HOST_NOT_ALLOWED' };
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(path, {
      ...({ redirect: 'error', credentials: 'omit', cache: 'no-store' } as const),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    if (response.status === 404) return { kind: 'unknown' };
    if (!response.ok || response.body === null) return { kind: 'unavailable', reason: 'ANSWER_NOT_OK' };
    const value = await readBounded(response.body, maxBytes);
    return value === undefined ? { kind: 'unavailable', reason: 'ANSWER_TOO_LARGE' } : { kind: 'found', value };
  } catch {
    return { kind: 'unavailable', reason: timeout.aborted ? 'TIMED_OUT' : 'CONNECTION_FAILED' };
  }
}

/** Returns undefined if there is more; the rest is not read. */
export async function readBounded(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    blocks.push(next.value);
  }
  return new Uint8Array(await new Blob(blocks).arrayBuffer());
}
