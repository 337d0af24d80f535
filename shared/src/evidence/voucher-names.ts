// File names of vouchers next to a proof archive: <name>.proof.zip has <name>.tlog-proof, <name>.tsr and <name>.ots.
import type { Evidence } from './evidence-archive.ts';

export type VoucherName = Exclude<keyof Evidence, 'archive'>;

const voucherEnds = {
  tlogProof: '.tlog-proof',
  stamp: '.tsr',
  ots: '.ots',
} as const satisfies Record<VoucherName, string>;

export const voucherNames = Object.keys(voucherEnds) as VoucherName[];

/** The name of a voucher, from the name of its archive. */
export const toVoucherName = (archiveName: string, voucher: VoucherName): string =>
  archiveName.replace(/(\.proof)?\.zip$/, '') + voucherEnds[voucher];
