// The HTTP server of the witness: POST /add-checkpoint and GET /health. Clients are identified by their socket alone;
// rate, size and speed are limited. Logs contain decisions, never received data.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { addCheckpoint, maxAddCheckpointBytes, type WitnessAnswer } from '@recordproof/shared/evidence/witness.ts';
import { verifyMlDsa44 } from '@recordproof/shared/node/ml-dsa.ts';
import { nodePlatform } from '../node/node-platform.ts';
import { RateLimiter } from '../web/rate-limiter.ts';
import type { WitnessFolder } from './witness-folder.ts';
import type { WitnessOptions } from './witness-options.ts';

const maxConnections = 512;
const maxConnectionsPerAddress = 32;
const maxAddresses = 10_000;
const headersTimeoutMillis = 5000;
const requestTimeoutMillis = 10_000;

type WitnessServiceParts = {
  readonly options: Pick<WitnessOptions, 'logs' | 'requestsPerMinute'>;
  readonly folder: WitnessFolder;
  readonly log: (line: string) => void;
  readonly nowSeconds?: () => number;
};

type Answer = {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

const plainType = 'text/plain; charset=utf-8';
const sentence = (status: number, text: string, headers?: Answer['headers']): Answer => ({
  status,
  body: `${text}\n`,
  headers,
});

export function openWitnessService(parts: WitnessServiceParts): Server {
  const limits = { requests: parts.options.requestsPerMinute, windowMillis: 60_000, maxClients: maxAddresses };
  const limiter = new RateLimiter(limits, () => performance.now());
  const server = createServer({
    headersTimeout: headersTimeoutMillis,
    requestTimeout: requestTimeoutMillis,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 8 * 1024,
  });
  server.maxConnections = maxConnections;
  limitConnections(server);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answer(request, parts, limiter)
      .catch(problem => {
        parts.log(`the state cannot be written: ${(problem as Error).message}`);
        return sentence(500, 'the witness cannot write its state right now; nothing was cosigned');
      })
      .then(result => send(request, response, result));
  });
  return server;
}

function limitConnections(server: Server): void {
  const open = new Map<string, number>();
  server.on('connection', socket => {
    const address = socket.remoteAddress ?? '';
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    if (count > maxConnectionsPerAddress) socket.destroy();
  });
}

async function answer(request: IncomingMessage, parts: WitnessServiceParts, limiter: RateLimiter): Promise<Answer> {
  const { url, method = '' } = request;
  if (url === '/health') return ['GET', 'HEAD'].includes(method) ? await health(parts) : wrongMethod('GET, HEAD');
  if (url !== '/add-checkpoint') return sentence(404, 'there is nothing at this address');
  if (method !== 'POST') return wrongMethod('POST');
  const retryAfter = limiter.take(request.socket.remoteAddress ?? '');
  if (retryAfter !== undefined)
    return sentence(429, 'too many requests from this address', { 'retry-after': String(retryAfter) });
  const body = await readBody(request);
  if (body === 'too large') return sentence(413, `a request has at most ${maxAddCheckpointBytes} bytes`);
  if (body === 'cut off') return sentence(400, 'the request was cut off');
  return toHttp(await decideOn(body, parts), parts.log);
}

const wrongMethod = (allow: string): Answer => sentence(405, `this address answers ${allow}`, { allow });

/** Queries the store, which retries a failed write. */
async function health({ folder, log }: WitnessServiceParts): Promise<Answer> {
  try {
    const { name, logs } = await folder.store.load();
    return {
      status: 200,
      type: 'application/json',
      body: `${JSON.stringify({ status: 'UP', name, logs: logs.size })}\n`,
    };
  } catch (problem) {
    log(`the state cannot be written: ${(problem as Error).message}`);
    return { status: 503, type: 'application/json', body: '{"status":"DOWN"}\n' };
  }
}

async function readBody(request: IncomingMessage): Promise<Uint8Array | 'too large' | 'cut off'> {
  if (Number(request.headers['content-length'] ?? 0) > maxAddCheckpointBytes) return 'too large';
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maxAddCheckpointBytes) return 'too large';
      parts.push(part);
    }
  } catch {
    return 'cut off';
  }
  return Buffer.concat(parts);
}

function decideOn(body: Uint8Array, { options, folder, log, nowSeconds }: WitnessServiceParts): Promise<WitnessAnswer> {
  return addCheckpoint(body, {
    logs: options.logs,
    signers: folder.signers,
    verifiers: { ed25519: nodePlatform.verifyEd25519, mlDsa44: verifyMlDsa44 },
    store: folder.store,
    nowSeconds: nowSeconds ?? (() => Math.floor(Date.now() / 1000)),
    onFork(first, second) {
      const id = createHash('sha256').update(first).digest('hex').slice(0, 16);
      log(`a log signed two trees of one size: its notes are forks/${id}-1.note and forks/${id}-2.note`);
      folder.keepFork(id, first, second).catch(problem => log(`forks/${id} cannot be written: ${problem.message}`));
    },
  });
}

function toHttp(answer: WitnessAnswer, log: (line: string) => void): Answer {
  if (answer.kind === 'COSIGNED') {
    log(`cosigned ${answer.origin} of ${answer.size} entries`);
    return { status: 200, body: answer.lines };
  }
  log(`rejected with ${answer.status}: ${answer.message}`);
  if (answer.size === undefined) return sentence(answer.status, answer.message);
  return { status: answer.status, body: `${answer.size}\n`, type: 'text/x.tlog.size' };
}

function send(request: IncomingMessage, response: ServerResponse, { status, body, type, headers }: Answer): void {
  if (response.destroyed) return;
  // An unread rest of a body would keep the connection busy.
  const connection = request.complete ? {} : { connection: 'close' };
  response.writeHead(status, {
    'content-type': type ?? plainType,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...connection,
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
