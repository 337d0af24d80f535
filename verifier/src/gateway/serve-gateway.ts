// HTTP server of the gateway, which answers verifiers with the batch root on the chain: one endpoint in the form
// service-chain-root-resolution.v1. 404 means that the chain has no such root; 503 that it could not be queried or
// verified.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ChainIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { chainRootSchema } from '../verify/live-evidence.ts';

export type RootOnChain = {
  readonly batchNo: string;
  readonly merkleRoot: string;
  readonly transactionHash: string;
  readonly blockNumber: number;
};

/** The chain did not answer, or its answer could not be verified. */
export class SourceUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SourceUnavailable';
  }
}

/** The chain or ledger that batch roots are read from. */
export type RootSource = {
  /** Throws SourceUnavailable. */
  identity(): Promise<ChainIdentity>;
  /** Returns null if there is no final entry for this batch. Throws SourceUnavailable. */
  findRoot(batchNo: string): Promise<RootOnChain | null>;
};

const path =
  /^(?:\/api\/v1\/public)?\/chain-roots\/([\w.-]{1,128})\/([\w.-]{1,128})\/([\w.-]{1,128})\/([\w.-]{1,128})\/([\w.-]{1,128})$/;

const form = '/chain-roots/{chainType}/{chainId}/{groupId}/{contractAddress}/{batchNo}';

const retrySeconds = 5;

type Answer = { readonly status: number; readonly body: object };

export function openGateway(source: RootSource, log: (line: string) => void): Server {
  return createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    answer(source, request, log).then(
      result => send(response, request, result),
      error => {
        log(error instanceof Error ? error.message : String(error));
        send(response, request, problem(500, 'internal: the gateway failed; its log says why: tell its operator'));
      },
    );
  });
}

const problem = (status: number, message: string): Answer => ({ status, body: { message } });

async function answer(source: RootSource, request: IncomingMessage, log: (line: string) => void): Promise<Answer> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return problem(405, 'only GET is answered');
  const [, chainType = '', chainId = '', groupId = '', contractAddress = '', batchNo = ''] =
    path.exec(request.url ?? '') ?? [];
  if (batchNo === '') return problem(404, `there is no ${request.url?.slice(0, 200)}: ask ${form}`);
  try {
    const identity = await source.identity();
    const requested = { chainType, chainId, groupId, contractAddress };
    if (!isSameChain(identity, requested))
      return problem(404, `this gateway serves the chain ${nameOf(identity)}, not ${nameOf(requested)}`);
    const root = await source.findRoot(batchNo);
    if (root === null)
      return problem(404, `the chain ${nameOf(identity)} has no final root of batch ${batchNo}: try again later`);
    return { status: 200, body: { schemaVersion: chainRootSchema, ...identity, ...root } };
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    log(error.message);
    return problem(503, `the chain could not be read for batch ${batchNo}: try again in ${retrySeconds} seconds`);
  }
}

const nameOf = ({ chainType, chainId, groupId, contractAddress }: ChainIdentity): string =>
  `${chainType}/${chainId}/${groupId}/${contractAddress}`;

const isSameChain = (identity: ChainIdentity, requested: ChainIdentity): boolean =>
  identity.chainType === requested.chainType &&
  identity.chainId === requested.chainId &&
  identity.groupId === requested.groupId &&
  identity.contractAddress === requested.contractAddress.toLowerCase();

function send(response: ServerResponse, request: IncomingMessage, { status, body }: Answer): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': status === 200 ? 'public, max-age=30' : 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 503 && { 'retry-after': String(retrySeconds) }),
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}
