// Download of a ZIP that the server writes while it sends it. It cannot be resumed, and has no hash: a stream that breaks
// leaves nothing behind, and the proofs in it speak for the files.
import type { Client } from '../api/client.ts';
import { downloadFiles, downloadFolder } from '../api/folders.ts';
import { type Clock, HttpBroken, type Sink, systemClock } from './ports.ts';
import { type OnProgress, openProgress } from './progress.ts';

type ZipContent =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'files'; readonly fileHash: readonly string[] };

type ZipDownload = {
  readonly content: ZipContent;
  /** Of the files in it, as far as that is known: shown until the server says how long the ZIP is. */
  readonly size: number;
  readonly openSink: () => Promise<Sink>;
  readonly signal: AbortSignal;
  readonly onProgress?: OnProgress;
};

type Ports = { readonly client: Pick<Client, 'open'>; readonly clock?: Clock };

const open = (client: Pick<Client, 'open'>, content: ZipContent, signal: AbortSignal): Promise<Response> =>
  content.kind === 'folder'
    ? client.open(downloadFolder, { query: { path: content.path, proofs: 'true' }, signal })
    : client.open(downloadFiles, { body: { fileHash: [...content.fileHash], proofs: true }, signal });

export async function downloadZip(download: ZipDownload, { client, clock = systemClock }: Ports): Promise<void> {
  const { content, size, openSink, signal, onProgress } = download;
  const response = await open(client, content, signal);
  const length = Number(response.headers.get('content-length') ?? 0);
  const meter = openProgress(length > 0 ? length : size, clock, onProgress);
  await using sink = await openSink();
  try {
    await sink.truncate(0);
    meter.enter('receiving');
    const reader = response.body?.getReader();
    for (let next = await read(reader, signal); next !== undefined; next = await read(reader, signal)) {
      meter.moved(next.length);
      await sink.write(next);
    }
    meter.enter('finishing');
    await sink.commit();
    meter.enter('done');
  } catch (error) {
    await response.body?.cancel().catch(() => undefined);
    await sink.discard();
    throw error;
  }
}

/** Undefined at its end. With a reader, because not every browser iterates streams. */
async function read(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const step = await reader?.read().catch(cause => {
    signal.throwIfAborted();
    throw new HttpBroken('the connection broke', cause);
  });
  return step?.value;
}
