// This program's own files below a watched folder: archives, vouchers, sessions, logs. Storing them would create more
// of them without end.
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { toVoucherName, voucherNames } from '@recordproof/shared/evidence/evidence-archive.ts';
import { toRealPath } from '@recordproof/shared/node/real-path.ts';
import { archiveBeside, evidenceBeside } from '@recordproof/verifier/proof-paths.ts';
import { configFolder, stateFolder } from '../platform/folders.ts';

const archiveEnds = [archiveBeside(''), evidenceBeside('')];
/** Including the temporary files of a killed write. */
const toEnds = (ends: readonly string[]): RegExp =>
  new RegExp(`(${ends.map(end => RegExp.escape(end)).join('|')})(\\.[0-9a-f]{8}\\.part)?$`);
const archivePattern = toEnds(archiveEnds);
const voucherPattern = toEnds(voucherNames.map(name => toVoucherName('', name)));

/** In the form of the paths of a scan. */
const toBelow = (watched: string, path: string): string =>
  relative(watched, toRealPath(path)).split(sep).join('/').normalize('NFC');

/** `folder` without links on the way. */
export function openOwnFiles(folder: string, proofs: string | undefined): (path: string) => boolean {
  const mirror = proofs === undefined ? '' : toBelow(folder, proofs);
  const ownFolders = [mirror, toBelow(folder, configFolder()), toBelow(folder, stateFolder())].filter(
    own => own !== '',
  );
  const isWithin = (path: string) => ownFolders.some(own => path === own || path.startsWith(`${own}/`));
  /** Other programs may write files of such names; ours are next to an archive. */
  const isVoucher = (path: string) => {
    const end = voucherPattern.exec(path);
    return end !== null && existsSync(archiveBeside(join(folder, path.slice(0, end.index))));
  };
  return path => isWithin(path) || (mirror === '' && (archivePattern.test(path) || isVoucher(path)));
}
