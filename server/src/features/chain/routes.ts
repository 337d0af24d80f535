// Routes of the ledger and chains.
import { type ChainRootAnswer, getChainRoot, getChainStatus } from '@recordproof/shared/api/chain.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getLedgerKey, getLedgerPostQuantumKey, getLedgerTile } from '@recordproof/shared/api/ledger.ts';
import type { ChainIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { type PlainAnswer, plainRoute, type Request, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { ChainError, type ChainPort } from './chain-port.ts';
import type { Ledger } from './ledger/ledger.ts';
import { LedgerDamaged } from './ledger/tile-store.ts';

const forEver = 'public, max-age=31536000, immutable';

export function chainRoutes({
  ledger,
  chains,
  readChainStatus,
}: Pick<Server, 'ledger' | 'chains' | 'readChainStatus'>): Route[] {
  return [
    plainRoute(getLedgerKey, () => toKeyAnswer(ledger.verifierKey)),
    plainRoute(getLedgerPostQuantumKey, () => {
      if (ledger.postQuantumKey === undefined)
        throw new ApiError('NOT_FOUND', 'the checkpoints of this ledger have no post-quantum signature');
      return toKeyAnswer(ledger.postQuantumKey);
    }),
    plainRoute(getLedgerTile, request => toTileAnswer(ledger, request)),
    plainRoute(getChainRoot, request => toRootAnswer(chains, request)),
    route(getChainStatus, () => readChainStatus()),
  ];
}

const toKeyAnswer = (key: string): PlainAnswer => ({
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
  body: `${key}\n`,
});

async function toTileAnswer(ledger: Ledger, { params }: Request<typeof getLedgerTile>): Promise<PlainAnswer> {
  const tile = await ledger.tiles.find(`tile/${params.path}`).catch(error => {
    if (!(error instanceof LedgerDamaged)) throw error;
    const message = 'this tile of the ledger is damaged; ask an administrator to restore it from a backup';
    throw new ApiError('SERVICE_UNAVAILABLE', message, { cause: error });
  });
  if (tile === null) throw new ApiError('NOT_FOUND', `the ledger has no tile ${params.path}`);
  return { headers: { 'content-type': 'application/octet-stream', 'cache-control': forEver }, body: tile };
}

async function toRootAnswer(
  chains: readonly ChainPort[],
  { params }: Request<typeof getChainRoot>,
): Promise<PlainAnswer> {
  const { batchNo, ...address } = params;
  const unknown = () => new ApiError('NOT_FOUND', `chain ${address.chainId} has no root of batch ${batchNo}`);
  try {
    for (const chain of chains) {
      const identity = await chain.identity();
      if (!isSameChain(identity, address)) continue;
      const root = await chain.findRoot(batchNo);
      if (root === null) throw unknown();
      const answer: ChainRootAnswer = {
        schemaVersion: 'service-chain-root-resolution.v1',
        chainType: identity.chainType,
        chainId: identity.chainId,
        groupId: identity.groupId,
        contractAddress: identity.contractAddress,
        batchNo: root.batchNo,
        merkleRoot: root.merkleRoot,
        transactionHash: root.transactionHash,
        blockNumber: root.blockNumber,
      };
      const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=30' };
      return { headers, body: JSON.stringify(answer) };
    }
    throw unknown();
  } catch (error) {
    throw error instanceof ChainError ? toApiError(error, batchNo, address.chainType) : error;
  }
}

const isSameChain = (identity: ChainIdentity, address: ChainIdentity): boolean =>
  identity.chainType === address.chainType &&
  identity.chainId === address.chainId &&
  identity.groupId === address.groupId &&
  identity.contractAddress.toLowerCase() === address.contractAddress.toLowerCase();

const failures = {
  TIMEOUT: { kind: 'BLOCKCHAIN_TIMEOUT', why: 'took too long' },
  UNREACHABLE: { kind: 'BLOCKCHAIN_UNREACHABLE', why: 'is unavailable' },
  REFUSED: { kind: 'BLOCKCHAIN_ERROR', why: 'rejected the query' },
} as const;

/** Without the message of the error: a node of an EVM chain may have written it. */
function toApiError(error: ChainError, batchNo: string, chainType: string): ApiError {
  const source = chainType === 'LOCAL_LEDGER' ? 'the embedded ledger' : `the chain ${chainType}`;
  const { kind, why } = failures[error.failure];
  const message = `${source} ${why} for batch ${batchNo}; try again`;
  return new ApiError(kind, message, { cause: error, retryAfterSeconds: 5 });
}
