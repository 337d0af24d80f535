import type { Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import { type Check, isSoundSoFar } from '../case-file.ts';
import type { ChainRoot } from '../live-evidence.ts';
import { fail, notRun, pass, undecided } from '../report.ts';

/** The chain, asked now, shows the same root at the same place. */
export const chainLiveRoot: Check = {
  id: 'chain.live-root',
  category: 'CHAIN',
  async run(file) {
    const { live } = file.request;
    if (live === undefined) return undecided('OFFLINE', 'The chain was not asked for the batch root.');
    // A withdrawn or unknown status does not make the root less interesting, but evidence that failed does.
    const isSound = isSoundSoFar({ ...file, results: file.results.filter(result => result.id !== 'status.current') });
    if (file.receipt === undefined || !isSound) return notRun('local checks');
    const { receipt } = file;
    const { chainType, chainId, groupId, contractAddress } = receipt.contract;
    const address = { chainType, chainId, groupId, contractAddress, batchNo: receipt.batchNo };
    const answer = await live.findChainRoot(address).catch(() => undefined);
    if (answer === undefined) return undecided('CHAIN_UNAVAILABLE', 'The chain could not be asked.');
    if (answer.kind !== 'found') return undecided(answer.code, answer.message);
    file.liveRoot = answer.value;
    const wrong = wrongField(answer.value, receipt);
    if (wrong !== undefined)
      return fail('CHAIN_ROOT_MISMATCH', `What the chain shows differs from the signed receipt in ${wrong}.`, {
        expectedRoot: receipt.batchChainRoot,
        liveRoot: answer.value.merkleRoot,
      });
    return pass('The chain shows the batch root of this proof.', {
      merkleRoot: answer.value.merkleRoot,
      blockNumber: answer.value.blockNumber,
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
