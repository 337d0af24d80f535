// Texts of the checks in a report.
import { words } from '@recordproof/shared/words/words.ts';
import type { CheckId } from '../verify/check-codes.ts';

/** The question behind each check, for first-time readers of a report. */
export const checkTexts = words(
  {
    'archive.structure':
      'Is the ZIP exactly of the one form that a proof archive may have? Nothing can be hidden beside or between its eight entries.',
    'json.manifest.json': 'Can manifest.json be read in exactly one way?',
    'json.chunk-manifest.json': 'Can chunk-manifest.json be read in exactly one way?',
    'json.merkle-proof.json': 'Can merkle-proof.json be read in exactly one way?',
    'json.blockchain-receipt.json': 'Can blockchain-receipt.json be read in exactly one way?',
    'json.verification-policy.json': 'Can verification-policy.json be read in exactly one way?',
    'manifest.contract': 'Does the manifest say what it must, and does it agree with itself?',
    'manifest.entry-digests':
      'Are the other entries those that the signed manifest lists, with the same SHA-256 and size?',
    'policy.contract': 'Is the verification policy the published text, unchanged?',
    'policy.readme': 'Are the instructions in the archive the published text, unchanged?',
    'chunks.contract':
      'Does the list of chunks agree with itself, and does its hash, computed anew, equal the one that was anchored?',
    'content.original': 'Has the file that you chose the SHA-256 that was recorded?',
    'content.size': 'Has the file the recorded size?',
    'content.file-hash': 'Do the fields in the archive that state the SHA-256 of the file agree with it?',
    'content.chunk-hashes': 'Has every piece of the file the SHA-256 that was recorded for it?',
    'merkle.path': 'Does the path lead from this record to the root of its batch?',
    'chain.receipt': 'Does the receipt of the chain speak of the same record, batch and root?',
    'signature.key': 'Is the signing key one that comes from outside the archive, and the one that the proof names?',
    'signature.jws': 'Was the manifest signed with that key?',
    'status.current': 'Does the issuer say today that the proof is in force?',
    'chain.live-root': 'Does the chain show the recorded root today?',
  } satisfies Record<CheckId, string>,
  {
    'archive.structure': '该 ZIP 是否恰好是证明归档唯一允许的形式？其八个条目的旁边或之间不可能藏有任何东西。',
    'json.manifest.json': 'manifest.json 是否只有一种读法？',
    'json.chunk-manifest.json': 'chunk-manifest.json 是否只有一种读法？',
    'json.merkle-proof.json': 'merkle-proof.json 是否只有一种读法？',
    'json.blockchain-receipt.json': 'blockchain-receipt.json 是否只有一种读法？',
    'json.verification-policy.json': 'verification-policy.json 是否只有一种读法？',
    'manifest.contract': '清单是否写明了必须写明的内容，并且前后一致？',
    'manifest.entry-digests': '其他条目是否就是已签名清单所列的条目，SHA-256 和大小都相同？',
    'policy.contract': '核验策略是否为已公布的文本，未经改动？',
    'policy.readme': '归档中的说明是否为已公布的文本，未经改动？',
    'chunks.contract': '分块列表是否前后一致，重新计算的哈希是否等于已锚定的哈希？',
    'content.original': '您所选文件的 SHA-256 是否与登记的一致？',
    'content.size': '文件大小是否与登记的一致？',
    'content.file-hash': '归档中各处写明的文件 SHA-256 是否与之一致？',
    'content.chunk-hashes': '文件每一块的 SHA-256 是否与登记的一致？',
    'merkle.path': '路径是否从这条记录通向其批次的根？',
    'chain.receipt': '链的回执所说的是否为同一记录、同一批次和同一个根？',
    'signature.key': '签名密钥是否来自归档之外，并且正是证明所指明的密钥？',
    'signature.jws': '清单是否由该密钥签名？',
    'status.current': '签发方今天是否表示该证明有效？',
    'chain.live-root': '链上今天是否显示所登记的根？',
  },
);
