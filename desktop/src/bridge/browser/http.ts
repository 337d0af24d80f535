// HTTP port of the transfer engine in a browser. A request sends its body at once, since browsers cannot stream one over
// HTTP/1.1; a part of a file goes as a slice and is never read into memory.
import { limitSends } from '@recordproof/shared/transfer/limit-sends.ts';
import { type Http, type HttpAnswer, HttpBroken, type SendRequest } from '@recordproof/shared/transfer/ports.ts';

const lost = 'the connection was lost: check the network, then resume the transfer';

const maxAnswerBytes = 64 * 1024;
const embeddedStore = '/api/v1/objects';

/** The store inside this server is reached at the origin of this page, whatever its public address. */
function toReachable(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname === embeddedStore ? `${location.origin}${pathname}${search}` : url;
}

async function toBlob(blocks: AsyncIterable<Uint8Array>): Promise<Blob> {
  const parts: BlobPart[] = [];
  for await (const block of blocks) parts.push(new Blob([new Uint8Array(block)]));
  return new Blob(parts);
}

function toHeaders(text: string): Headers {
  const headers = new Headers();
  for (const line of text.trim().split(/[\r\n]+/)) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return headers;
}

/** The browser sets the others itself. */
const settable = (name: string): boolean => !/^(content-length|host|connection)$/i.test(name);

async function send(request: SendRequest): Promise<HttpAnswer> {
  const body = request.slice?.blob ?? (await toBlob(request.body));
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const call = new XMLHttpRequest();
  let reported = 0;
  call.upload.onprogress = ({ loaded }) => {
    request.slice?.onSent(Math.min(loaded, request.size) - reported);
    reported = Math.min(loaded, request.size);
  };
  call.responseType = 'arraybuffer';
  call.onerror = () => reject(new HttpBroken(lost));
  call.onabort = () => reject(request.signal.reason);
  call.onload = () => {
    if (call.status < 300) request.slice?.onSent(request.size - reported);
    const bytes = new Uint8Array(call.response as ArrayBuffer).slice(0, request.mostAnswerBytes ?? maxAnswerBytes);
    resolve({ status: call.status, headers: toHeaders(call.getAllResponseHeaders()), body: bytes });
  };
  const stop = () => call.abort();
  request.signal.addEventListener('abort', stop, { once: true });
  call.open(request.method, toReachable(request.url));
  for (const [name, value] of Object.entries(request.headers)) if (settable(name)) call.setRequestHeader(name, value);
  call.send(body);
  return promise.finally(() => request.signal.removeEventListener('abort', stop));
}

async function* readBlocks(response: Response): AsyncIterable<Uint8Array> {
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const step = await reader?.read().catch(cause => {
        throw new HttpBroken(lost, cause);
      });
      if (!step || step.done) return;
      yield step.value;
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

async function readSome(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let left = maxAnswerBytes;
  for await (const block of readBlocks(response)) {
    parts.push(block.subarray(0, left));
    left -= Math.min(left, block.length);
    if (left === 0) break;
  }
  return new Uint8Array(await new Blob(parts.map(part => new Uint8Array(part))).arrayBuffer());
}

async function* nothing(): AsyncIterable<Uint8Array> {}

const get: Http['get'] = async ({ url, headers, signal }) => {
  const response = await fetch(url, { headers, signal, redirect: 'error', cache: 'no-store' }).catch(cause => {
    signal.throwIfAborted();
    throw new HttpBroken(lost, cause);
  });
  const head = { status: response.status, headers: response.headers };
  if (response.ok) return { ...head, body: new Uint8Array(), blocks: readBlocks(response) };
  return { ...head, body: await readSome(response), blocks: nothing() };
};

/** Half of the connections per server of a browser: event stream and calls need some. */
const mostSends = 3;

export const browserHttp: Http = limitSends({ send, get }, mostSends);
