// HTTP calls without a time limit, and calls with a binary body: the typed client times out sooner and sends no bytes.
// Ctrl-C aborts the call, and with it the work on the server.
import { toError, toPath } from '@recordproof/shared/api/client.ts';
import type { AnswerOf, AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { sendWithToken } from '@recordproof/shared/transfer/upload-attempt.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { listenForInterrupts } from '../platform/interrupts.ts';

type LongCall = {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Instead of a body; read again when the call is repeated with a new token. */
  readonly bytes?: { readonly size: number; readonly read: () => AsyncIterable<Uint8Array> };
};

const idleTimeoutSeconds = 24 * 3600;
const mostAnswerBytes = 4 * 2 ** 20;

export async function callLong<E extends AnyEndpoint>(
  context: CommandContext,
  endpoint: E,
  { params = {}, query = {}, body, bytes }: LongCall,
): Promise<AnswerOf<E>> {
  const client = await context.session();
  const baseUrl = (await context.settings()).server.value;
  using interrupts = listenForInterrupts('nothing more is done; the same command begins again');
  using http = await (await context.network()).openBulk({ idleSeconds: idleTimeoutSeconds });
  const json = toUtf8(body === undefined ? '' : JSON.stringify(body));
  const type = bytes === undefined ? 'application/json' : 'application/octet-stream';
  const answer = await sendWithToken({ client, baseUrl, token: client.token }, authorization =>
    http.send({
      method: endpoint.method === 'PUT' ? 'PUT' : 'POST',
      url: baseUrl.replace(/\/+$/, '') + toPath(endpoint, { params, query }),
      headers: { ...authorization, ...((bytes ?? body) !== undefined && { 'content-type': type }) },
      size: bytes?.size ?? json.length,
      body: bytes?.read() ?? once(json),
      signal: interrupts.signal,
      mostAnswerBytes,
    }),
  );
  const response = new Response(answer.body, { status: answer.status, headers: answer.headers });
  if (!response.ok) throw await toError(response);
  const envelope = (await response.json()) as { readonly data: unknown };
  return endpoint.answer?.parse(envelope.data) as AnswerOf<E>;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
