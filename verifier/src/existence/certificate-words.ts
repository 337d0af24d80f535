// Texts of an existence certificate around the report.
import { words } from '@recordproof/shared/words/words.ts';

export const certificateWords = words(
  {
    certificate: 'Certificate of existence',
    noCertificate: 'Existence report, not a certificate',
    files: 'What was checked',
    input: 'File',
    nameAndHash: 'Name and SHA-256',
    notRead: 'not read',
    result: 'Result',
    finding: 'Finding',
    roles: {
      original: 'Original file',
      archive: 'Proof or evidence archive',
      tlogProof: 'Proof of the ledger entry',
      stamp: 'Time stamp',
      ots: 'OpenTimestamps',
      policy: 'Policy of witnesses',
      roots: 'Roots of authorities',
      headers: 'Block headers',
    },
    about: 'About this document',
    madeBy: (version: string, at: string) =>
      `This is what recordproof-verify ${version} found at ${at} by the clock of the machine that it ran on. No connection was opened.`,
    unsigned:
      'The document is not signed. Anyone could have written one like it, so it is no evidence by itself: keep the files listed above, and check them again. In a folder that holds them, this command does it:',
  },
  {
    certificate: '存在证明书',
    noCertificate: '存在性报告（并非证明书）',
    files: '核验了哪些文件',
    input: '文件',
    nameAndHash: '名称与 SHA-256',
    notRead: '未能读取',
    result: '结果',
    finding: '说明',
    roles: {
      original: '原始文件',
      archive: '证明归档或证据归档',
      tlogProof: '账本条目的证明',
      stamp: '时间戳',
      ots: 'OpenTimestamps',
      policy: '见证人策略',
      roots: '机构的根证书',
      headers: '区块头',
    },
    about: '关于本文件',
    madeBy: (version, at) =>
      `以上是 recordproof-verify ${version} 于 ${at}（以运行它的计算机的时钟为准）得出的结果。未打开任何连接。`,
    unsigned:
      '本文件没有签名，任何人都能写出类似的文件，因此它本身不是证据：请保存上面列出的文件并重新核验。在存有这些文件的文件夹中执行以下命令即可：',
  },
);
