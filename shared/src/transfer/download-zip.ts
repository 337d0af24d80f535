// Download of a ZIP that the server writes while it sends it. It cannot be resumed, and has no hash: an interrupted
// stream leaves nothing behind, and only the proofs in it verify the files.
import type { Client } from '../api/client.ts';
import { downloadFiles, downloadFolder, filesBytesHeader } from '../api/folders.ts';
import { type Clock, HttpBroken, type Sink, systemClock } from './ports.ts';
import { type OnProgress, openProgress } from './progress.ts';

type ZipContent =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'files'; readonly fileHash: readonly string[] };

type ZipDownload = {
  readonly content: ZipContent;
  /** Of the files in it, as far as that is known: shown if the server does not say how long the ZIP is. */
  readonly size: number;
  readonly openSink: () => Promise<Sink>;
  readonly signal: AbortSignal;
  readonly onProgress?: OnProgress;
  /** What the sink can hold. */
  readonly mostBytes?: number;
};

type Ports = { readonly client: Pick<Client, 'open'>; readonly clock?: Clock };

const open = (client: Pick<Client, 'open'>, content: ZipContent, signal: AbortSignal): Promise<Response> =>
  content.kind === 'folder'
    ? client.open(downloadFolder, { query: { path: content.path, proofs: 'true' }, signal })
    : client.open(downloadFiles, { body: { fileHash: [...content.fileHash], proofs: true }, signal });

/** False if it is larger than `mostBytes`: nothing of it is kept then. */
export async function downloadZip(download: ZipDownload, { client, clock = systemClock }: Ports): Promise<boolean> {
  const { content, size, openSink, signal, onProgress, mostBytes = Number.POSITIVE_INFINITY } = download;
  const { headers, body } = await open(client, content, signal);
  const announced = Number(headers.get('content-length') ?? headers.get(filesBytesHeader) ?? size);
  const meter = openProgress(announced, clock, onProgress);
  const reader = body?.getReader();
  await using sink = await openSink();
  const abandon = async () => {
    await reader?.cancel().catch(() => undefined);
    await sink.discard();
  };
  try {
    await sink.truncate(0);
    meter.enter('receiving');
    for (let received = 0; Math.max(announced, received) <= mostBytes; ) {
      const next = await read(reader, signal);
      if (next === undefined) {
        meter.enter('finishing');
        await sink.commit();
        meter.enter('done');
        return true;
      }
      received += next.length;
      meter.moved(next.length);
      await sink.write(next);
    }
    await abandon();
    return false;
  } catch (error) {
    await abandon();
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
    throw new HttpBroken('the connection to the server was lost: a ZIP cannot be resumed, so download it again', cause);
  });
  return step?.value;
}
