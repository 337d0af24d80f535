import { getChainStatus } from '@recordproof/shared/api/chain.ts';
import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';

export default command({
  summary: 'Show how the chain of records is doing',
  examples: [{ command: 'admin chain', description: 'Height, transactions, nodes' }],
  run: async ({ context }) => (await context.session()).call(getChainStatus),
  text: chain =>
    alignRows([
      ['chain', chain.chainType],
      ['healthy', chain.healthy ? 'yes' : 'no'],
      ['height', String(chain.blockNumber ?? 'no answer')],
      ['transactions', `${chain.transactionCount}, ${chain.failedTransactionCount} failed`],
      ['nodes', String(chain.nodeCount)],
      ['last update', chain.lastUpdateTime ?? 'none'],
    ]),
});
