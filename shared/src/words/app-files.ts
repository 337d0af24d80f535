// App texts: details of a file and its proof.
import { words } from './words.ts';

export const appFilesWords = words(
  {
    pdf: {
      page: (page: number, name: string) => `Page ${page} of ${name}`,
      of: (page: number, pages: number) => `${page} of ${pages}`,
      previous: 'Previous page',
      next: 'Next page',
      failed: 'This PDF cannot be shown here. Download it to read it.',
      limits: 'A preview without links, forms and scripts. Some fonts and pictures may differ.',
    },
    notPdf: 'This file has the type PDF, but it is not a PDF.',
    certificate: 'Certificate of verification',
    noCertificate: 'Verification report, not a certificate',
    print: 'Print or save as PDF',
    saveCertificate: 'Save as a file',
    shareCertificate: 'Share',
    original: 'File',
    archive: 'Proof',
    bytes: (many: string) => (many === '1' ? '1 byte' : `${many} bytes`),
    unread: 'not read to its end',
    asked: 'Server queried',
    noServer: 'no server',
    trust: {
      ISSUER: 'The issuer’s key came from the server that was queried: to trust this result is to trust that server.',
      TRUSTED_FILE: 'The issuer’s key is the trusted key that was chosen. It did not come from a server.',
      NONE: 'There was no key of the issuer.',
    },
    about: (version: string, at: string) =>
      `This is what verifier ${version} found at ${at} by the clock of this device. A proof can be revoked or superseded later.`,
    unsigned:
      'The document is not signed, so it is no evidence by itself: keep the file and its proof, and check them again.',
  },
  {
    pdf: {
      page: (page, name) => `${name} 第 ${page} 页`,
      of: (page, pages) => `第 ${page} 页，共 ${pages} 页`,
      previous: '上一页',
      next: '下一页',
      failed: '此 PDF 无法在此显示，请下载后阅读。',
      limits: '预览中链接、表单和脚本均不可用，部分字体和图片可能与原文件不同。',
    },
    notPdf: '此文件的类型为 PDF，但内容不是 PDF。',
    certificate: '核验证书',
    noCertificate: '核验报告（并非证书）',
    print: '打印或另存为 PDF',
    saveCertificate: '保存为文件',
    shareCertificate: '分享',
    original: '文件',
    archive: '证明',
    bytes: many => `${many} 字节`,
    unread: '未读完',
    asked: '查询的服务器',
    noServer: '无',
    trust: {
      ISSUER: '签发方的公钥来自所查询的服务器：信任此结果即信任该服务器。',
      TRUSTED_FILE: '签发方的公钥是所选的可信公钥，并非由服务器提供。',
      NONE: '没有签发方的公钥。',
    },
    about: (version, at) =>
      `这是核验器 ${version} 在 ${at}（以本设备的时钟为准）得出的结论。证明日后可能被撤销或取代。`,
    unsigned: '本文件没有签名，本身不构成证据：请保存文件及其证明，以便再次核验。',
  },
);
