// Which files below a watched folder are this program's own: the archives that it writes, its sessions, its logs. To store
// them would make more of them, without end.
import { relative, sep } from 'node:path';
import { toRealPath } from '@recordproof/shared/node/real-path.ts';
import { archiveBeside } from '@recordproof/verifier/options.ts';
import { configFolder, stateFolder } from '../platform/folders.ts';

const archiveEnd = archiveBeside('');
/** What a write that was killed may have left behind, too. */
const besidePattern = new RegExp(`${RegExp.escape(archiveEnd)}(\\.[0-9a-f]{8}\\.part)?$`);

/** As the paths of a look are written. */
const toBelow = (folder: string, place: string): string =>
  relative(folder, toRealPath(place)).split(sep).join('/').normalize('NFC');

/** `folder` without links on the way. */
export function openOwnFiles(folder: string, proofs: string | undefined): (path: string) => boolean {
  const mirror = proofs === undefined ? '' : toBelow(folder, proofs);
  const places = [mirror, toBelow(folder, configFolder()), toBelow(folder, stateFolder())].filter(
    place => place !== '',
  );
  const isWithin = (path: string) => places.some(place => path === place || path.startsWith(`${place}/`));
  return path => isWithin(path) || (mirror === '' && besidePattern.test(path));
}
