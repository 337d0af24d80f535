// This program's own files below a watched folder: archives, sessions, logs. Storing them would create more of them without
// end.
import { relative, sep } from 'node:path';
import { toRealPath } from '@recordproof/shared/node/real-path.ts';
import { archiveBeside } from '@recordproof/verifier/options.ts';
import { configFolder, stateFolder } from '../platform/folders.ts';

const archiveEnd = archiveBeside('');
/** What a write that was killed may have left behind, too. */
const besidePattern = new RegExp(`${RegExp.escape(archiveEnd)}(\\.[0-9a-f]{8}\\.part)?$`);

/** In the form of the paths of a scan. */
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
