// A JSON-RPC client for an EVM node over HTTP, limited in time and size. The URL may contain a secret, so no message
// repeats it. Responses are untrusted until parsed.

type RpcFailure = 'UNREACHABLE' | 'TIMEOUT' | 'REFUSED';

/** REFUSED: the node answered with an error. Otherwise the outcome is unknown. */
export class RpcError extends Error {
  readonly failure: RpcFailure;
  /** The reason given by a contract, as hex. */
  readonly data: string | undefined;

  constructor(failure: RpcFailure, message: string, options: { data?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RpcError';
    this.failure = failure;
    this.data = options.data;
  }
}

export type RpcCall = (method: string, params: readonly unknown[]) => Promise<unknown>;

type RpcOptions = {
  readonly url: string;
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
};

const maxAnswerCharacters = 1024 * 1024;

export function openRpc({ url, timeoutMs = 10_000, fetch = globalThis.fetch }: RpcOptions): RpcCall {
  let id = 0;
  return async (method, params) => {
    id += 1;
    const text = await post(fetch, url, timeoutMs, JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return readAnswer(text, method);
  };
}

async function post(fetch: typeof globalThis.fetch, url: string, timeoutMs: number, body: string): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal });
    const text = await readText(response);
    // Nodes send call errors in a body with status 200, 400 or 500; proxies in front of them do not speak JSON-RPC.
    if (!response.ok && !text.startsWith('{')) throw new Error(`status ${response.status}`);
    return text;
  } catch (cause) {
    if (signal.aborted) throw new RpcError('TIMEOUT', 'the node of the chain did not answer in time', { cause });
    throw new RpcError('UNREACHABLE', 'the node of the chain cannot be reached', { cause });
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const block of response.body ?? []) {
    text += decoder.decode(block, { stream: true });
    if (text.length > maxAnswerCharacters) throw new Error(`the answer exceeds ${maxAnswerCharacters} characters`);
  }
  return text;
}

function readAnswer(text: string, method: string): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new RpcError('UNREACHABLE', 'the response is not JSON-RPC: check the address of the EVM node', { cause });
  }
  if (typeof answer !== 'object' || answer === null)
    throw new RpcError('UNREACHABLE', 'the response is not JSON-RPC: check the address of the EVM node');
  if ('error' in answer && typeof answer.error === 'object' && answer.error !== null)
    throw toRejection(answer.error, method);
  if (!('result' in answer))
    throw new RpcError('UNREACHABLE', 'the response is not JSON-RPC: check the address of the EVM node');
  return answer.result;
}

function toRejection(error: object, method: string): RpcError {
  const reason =
    'message' in error && typeof error.message === 'string' ? error.message.slice(0, 200) : 'no reason given';
  const data = 'data' in error && typeof error.data === 'string' ? { data: error.data } : {};
  return new RpcError('REFUSED', `the node refused ${method}: ${reason}`, data);
}
