// A real OTLP receiver for traces, over HTTP or gRPC: accepts protobuf as a collector does and decodes the fields that
// tests check.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';

export type ReceivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** As numbered by OTLP: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, string | number>>;
};

export type OtlpReceiver = AsyncDisposable & {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Requests that were not answered with success. */
  readonly refused: number;
};

export async function startHttpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  let rejected = 0;
  const server = createServer(async (request, response) => {
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    if (isTraces && request.headers['content-type'] === 'application/x-protobuf') {
      spans.push(...readSpans(await buffer(request)));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    } else {
      rejected += 1;
      response.writeHead(404).end();
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    get refused() {
      return rejected;
    },
    [Symbol.asyncDispose]: close,
  };
}

export async function startGrpcReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const server = new Server();
  const asTheyAre = (bytes: Buffer) => bytes;
  const method = {
    path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    requestStream: false,
    responseStream: false,
    requestSerialize: asTheyAre,
    requestDeserialize: asTheyAre,
    responseSerialize: asTheyAre,
    responseDeserialize: asTheyAre,
  };
  server.addService(
    { export: method },
    {
      export: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
        spans.push(...readSpans(call.request));
        answer(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    refused: 0,
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  };
}

/** Field numbers of opentelemetry/proto/{collector/trace,trace,common}/v1. */
function readSpans(request: Buffer): ReceivedSpan[] {
  return messages(request, 1).flatMap(resourceSpans => {
    const resource = messages(resourceSpans, 1).flatMap(message => messages(message, 1));
    return messages(resourceSpans, 2)
      .flatMap(scopeSpans => messages(scopeSpans, 2))
      .map(span => ({
        traceId: bytesOf(span, 1).toString('hex'),
        spanId: bytesOf(span, 2).toString('hex'),
        traceState: bytesOf(span, 3).toString(),
        parentSpanId: bytesOf(span, 4).toString('hex'),
        name: bytesOf(span, 5).toString(),
        kind: numberOf(span, 6),
        attributes: readAttributes(messages(span, 9)),
        status: numberOf(bytesOf(span, 15), 3),
        resource: readAttributes(resource),
      }));
  });
}

function readAttributes(pairs: readonly Buffer[]): Record<string, string | number> {
  return Object.fromEntries(
    pairs.map(pair => {
      const value = bytesOf(pair, 2);
      const isText = fields(value).some(field => field.number === 1);
      return [bytesOf(pair, 1).toString(), isText ? bytesOf(value, 1).toString() : numberOf(value, 3)];
    }),
  );
}

type Field = { readonly number: number; readonly value: Buffer | number };

const messages = (message: Buffer, number: number): Buffer[] =>
  fields(message).flatMap(field => (field.number === number && typeof field.value !== 'number' ? [field.value] : []));
const bytesOf = (message: Buffer, number: number): Buffer => messages(message, number)[0] ?? Buffer.alloc(0);
const numberOf = (message: Buffer, number: number): number =>
  Number(fields(message).find(field => field.number === number)?.value ?? 0);

/** The protobuf wire format: varints, fixed widths and length-delimited bytes. */
function fields(message: Buffer): Field[] {
  const found: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    const wire = tag % 8;
    if (wire === 0) found.push({ number, value: varint() });
    else {
      const length = wire === 1 ? 8 : wire === 5 ? 4 : varint();
      found.push({ number, value: message.subarray(at, at + length) });
      at += length;
    }
  }
  return found;
}
