// The paths of archives in a watched folder: that of the newest version at <name>.proof.zip, those of older ones at
// <name>.v<version>.proof.zip. No archive is deleted or written over; what is no archive stays where it is.
import { link, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { maxArchiveBytes, readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { readProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import { parseStrictJson } from '@recordproof/shared/evidence/strict-json.ts';
import { archiveBeside } from '@recordproof/verifier/options.ts';
import { Fixable } from '../platform/fixable.ts';
import { writeWholeFile } from '../platform/whole-file.ts';

const mostTwins = 100;

type Found = { readonly bytes: Uint8Array; readonly version: number | undefined };

async function find(path: string): Promise<Found | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (!found.isFile() || found.size > maxArchiveBytes) return { bytes: new Uint8Array(), version: undefined };
  const bytes = await readFile(path);
  return { bytes, version: readVersion(bytes) };
}

function readVersion(bytes: Uint8Array): number | undefined {
  try {
    return readProofManifest(parseStrictJson(readProofArchive(bytes)['manifest.json']), '').fileVersion;
  } catch {
    return undefined;
  }
}

const isSame = (found: Found | undefined, archive: Uint8Array): boolean =>
  found !== undefined && Buffer.from(found.bytes).equals(archive);

const olderPath = (file: string, version: number, twin: number): string =>
  archiveBeside(`${file}.v${version}${twin === 1 ? '' : `-${twin}`}`);

/** Writes, or links what lies at `from`, where nothing else lies yet. Resolves to the path. */
async function putAside(file: string, version: number, archive: Uint8Array, from?: string): Promise<string> {
  for (let twin = 1; twin <= mostTwins; twin += 1) {
    const path = olderPath(file, version, twin);
    const found = await find(path);
    if (isSame(found, archive)) return path;
    if (found !== undefined) continue;
    await (from === undefined ? writeWholeFile(path, archive, false) : link(from, path));
    return path;
  }
  throw new Fixable('refused', `${olderPath(file, version, 1)} exists, and ${mostTwins - 1} more`, {
    try: 'move some of them away',
  });
}

/** `file` is where the file lies, or would lie in a folder that mirrors it. Resolves to the path of the archive. */
export async function placeArchive(file: string, version: number, archive: Uint8Array): Promise<string> {
  const path = archiveBeside(file);
  await mkdir(dirname(path), { recursive: true });
  const there = await find(path);
  if (isSame(there, archive)) return path;
  if (there === undefined) {
    await writeWholeFile(path, archive, false);
    return path;
  }
  if (there.version === undefined || there.version > version) return putAside(file, version, archive);
  await putAside(file, there.version, there.bytes, path);
  await writeWholeFile(path, archive, true);
  return path;
}
