import type { Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import { type Check, valueIn } from '../case-file.ts';
import { toLookupCode } from '../check-codes.ts';
import type { ChainRoot } from '../live-evidence.ts';
import { found, notRun, pass } from '../report.ts';

/** The chain, asked now, shows the same root at the same place. */
export const chainLiveRoot: Check<'chain.live-root'> = {
  id: 'chain.live-root',
  judge(file, { root: answer }) {
    if (answer.kind === 'offline') return found('OFFLINE', 'The chain was not asked for the batch root.');
    if (answer.kind === 'held-back') return notRun(answer.waitsFor);
    if (answer.kind !== 'found') return found(toLookupCode('CHAIN', answer), 'The chain did not tell the batch root.');
    const receipt = valueIn(file.receipt);
    if (receipt === undefined) return notRun('json.blockchain-receipt.json');
    const live = answer.value;
    const wrong = wrongField(live, receipt);
    if (wrong !== undefined)
      return found('CHAIN_ROOT_MISMATCH', `What the chain shows differs from the signed receipt in ${wrong}.`, {
        expectedRoot: receipt.batchChainRoot,
        liveRoot: live.merkleRoot,
      });
    return pass('The chain shows the batch root of this proof.', {
      merkleRoot: live.merkleRoot,
      blockNumber: live.blockNumber,
    });
  },
};

function wrongField(live: ChainRoot, receipt: Receipt): string | undefined {
  const { contract } = receipt;
  if (live.chainType !== contract.chainType) return 'chainType';
  if (live.chainId !== contract.chainId) return 'chainId';
  if (live.groupId !== contract.groupId) return 'groupId';
  if (live.contractAddress !== contract.contractAddress) return 'contractAddress';
  if (live.batchNo !== receipt.batchNo) return 'batchNo';
  if (live.merkleRoot !== receipt.batchChainRoot) return 'merkleRoot';
  if ((live.transactionHash ?? undefined) !== receipt.batchTransactionHash) return 'transactionHash';
  return live.blockNumber === receipt.blockNumber ? undefined : 'blockNumber';
}
