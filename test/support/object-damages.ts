// Damages to the file of a stored object, as by failing disks, careless operators and attackers.
import { appendFile, mkdir, open, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { footerBytes, toFooter } from '../../server/src/platform/objects/disk-layout.ts';
import { sha256Of } from './bytes.ts';

type Damage = (path: string) => Promise<void>;

const sizeOf = async (path: string): Promise<number> => (await stat(path)).size;

async function flip(path: string, position: number): Promise<void> {
  await using file = await open(path, 'r+');
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, position);
  buffer[0] = (buffer[0] ?? 0) ^ 1;
  await file.write(buffer, 0, 1, position);
}

async function overwrite(path: string, toBytes: (size: number) => Buffer): Promise<void> {
  const bytes = toBytes((await sizeOf(path)) - footerBytes);
  await writeFile(path, Buffer.concat([bytes, toFooter(bytes.length, sha256Of(bytes))]));
}

/** None of them leaves the object as it was stored. */
export const objectDamages = {
  'cut by a byte': async path => truncate(path, (await sizeOf(path)) - 1),
  'cut in half': async path => truncate(path, (await sizeOf(path)) >> 1),
  'without its footer': async path => truncate(path, (await sizeOf(path)) - footerBytes),
  'grown by a byte': path => appendFile(path, 'x'),
  emptied: path => truncate(path, 0),
  removed: path => rm(path),
  'a bit flipped at the beginning': path => flip(path, 0),
  'a bit flipped in the middle': async path => flip(path, (await sizeOf(path)) >> 1),
  'a bit flipped in the digest of the footer': async path => flip(path, (await sizeOf(path)) - footerBytes),
  'a bit flipped in the mark of the footer': async path => flip(path, (await sizeOf(path)) - 1),
  'zeros all over': async path => writeFile(path, Buffer.alloc(await sizeOf(path))),
  'other bytes of the same length, well formed': path => overwrite(path, size => Buffer.alloc(size, 'other')),
  'a link that leads nowhere': async path => {
    await rm(path);
    await symlink('/nowhere/at/all', path);
  },
  'a link that leads to itself': async path => {
    await rm(path);
    await symlink(path, path);
  },
  'a folder with something in it': async path => {
    await rename(path, `${path}.moved`);
    await mkdir(path);
    await rename(`${path}.moved`, `${path}/inside`);
  },
} satisfies Readonly<Record<string, Damage>>;
