// Local file names for stored files. A stored name may come from a stranger: none becomes a path or a hidden file, which
// programs may read as configuration.
import { extname } from 'node:path';
import { toSavedName } from '@recordproof/shared/shown-name.ts';
import { printable, tint, writeMessage } from '../platform/output.ts';

/** The longest name that nearly every file system accepts. */
const maxBytes = 255;
const devices = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *(\.|$)/i;

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** As much of the beginning as fits, in whole characters. */
function begin(text: string, bytes: number): string {
  let kept = '';
  let left = bytes;
  for (const character of text) {
    left -= bytesOf(character);
    if (left < 0) break;
    kept += character;
  }
  return kept;
}

const onWindows = (name: string): string => {
  const plain = name.replace(/[<>:"|?*]/g, '_').replace(/[. ]+$/, '_');
  return devices.test(plain) ? `_${plain}` : plain;
};

/** `mark` is put before the extension. A name that fits stays as it is. */
export function toLocalName(name: string, mark = ''): string {
  const plain = toSavedName(name);
  const allowed = process.platform === 'win32' ? onWindows(plain) : plain;
  const visible = allowed.startsWith('.') ? `_${allowed}` : allowed;
  const extension = bytesOf(extname(visible)) <= maxBytes / 2 ? extname(visible) : '';
  const stem = visible.slice(0, visible.length - extension.length);
  return begin(stem, maxBytes - bytesOf(mark + extension)) + mark + extension;
}

function whyOther(name: string): string {
  if (name.startsWith('.')) return 'the name is that of a hidden file';
  return bytesOf(name) > maxBytes ? 'the name is too long' : 'the name is no good here';
}

export function writeOtherName(name: string, path: string): void {
  writeMessage(`${tint('yellow', 'saved as:')} ${printable(path)} (${whyOther(name)}: ${printable(begin(name, 60))})`);
}

/** Some file systems treat names as equal that differ only in case or Unicode normalization. */
const asDisksCompare = (name: string): string => name.normalize('NFC').toLowerCase();

/** Files of the same name get different ones, the same way in every run. */
export function nameEach<F extends { readonly fileName: string }>(files: readonly F[]): { file: F; name: string }[] {
  const taken = new Set<string>();
  return files.map(file => {
    let name = toLocalName(file.fileName);
    for (let number = 2; taken.has(asDisksCompare(name)); number += 1)
      name = toLocalName(file.fileName, ` (${number})`);
    taken.add(asDisksCompare(name));
    return { file, name };
  });
}
