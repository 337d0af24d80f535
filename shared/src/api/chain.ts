// Entries on the chain of records, and the status of the chain.
import { z } from 'zod';
import { isoTime } from './common.ts';
import { endpoint } from './endpoint.ts';

const chainTypes = ['LOCAL_LEDGER', 'EVM'] as const;

export const chainStatus = z.object({
  blockNumber: z
    .int()
    .min(0)
    .nullable()
    .meta({ description: 'newest position or block, 0 on an empty ledger; null where a chain does not answer' }),
  transactionCount: z
    .int()
    .min(0)
    .meta({ description: 'records written: entries of the ledger, roots on the contract' }),
  failedTransactionCount: z.int().min(0).meta({ description: 'writes that the chain rejected or that were lost' }),
  nodeCount: z.int().min(0).meta({ description: 'nodes that answered' }),
  chainType: z.enum(chainTypes),
  healthy: z.boolean(),
  lastUpdateTime: isoTime.nullable().meta({ description: 'of the newest checkpoint or block' }),
});
export type ChainStatus = z.infer<typeof chainStatus>;

export const getChainStatus = endpoint('getChainStatus', {
  feature: 'chain',
  route: 'GET /api/v1/system/chain-status',
  summary: 'How the chain of records is doing',
  access: 'system:metrics',
  rate: 'other',
  answer: chainStatus,
});

const name = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/, 'must be a name of letters, digits, ., _ or -');

const chainRoot = z.object({
  schemaVersion: z.literal('service-chain-root-resolution.v1'),
  chainType: z.string(),
  chainId: z.string(),
  groupId: z.string(),
  contractAddress: z.string(),
  batchNo: z.string(),
  merkleRoot: z.string().regex(/^[0-9a-f]{64}$/),
  transactionHash: z.string().regex(/^0x[0-9a-f]{64}$/),
  blockNumber: z.int().min(0),
});
export type ChainRootAnswer = z.infer<typeof chainRoot>;

export const getChainRoot = endpoint('getChainRoot', {
  feature: 'chain',
  route: 'GET /api/v1/public/chain-roots/{chainType}/{chainId}/{groupId}/{contractAddress}/{batchNo}',
  summary: 'The root of a batch as it stands on the chain',
  description:
    'The chain gateway that verifiers query. Anyone can run a gateway of their own: recordproof-verify gateway.',
  access: 'anonymous',
  rate: 'public-proof',
  params: z.object({ chainType: name, chainId: name, groupId: name, contractAddress: name, batchNo: name }),
  answer: chainRoot,
  answerForm: 'plain-json',
  errors: ['NOT_FOUND', 'BLOCKCHAIN_TIMEOUT', 'BLOCKCHAIN_UNREACHABLE'],
});
