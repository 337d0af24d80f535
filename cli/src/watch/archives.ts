// The paths of archives in a watched folder: that of the newest version at <name>.proof.zip, those of older ones at
// <name>.v<version>.proof.zip, each with its vouchers next to it; or the same with <name>.evidence.zip. No archive is
// deleted or overwritten; other files stay where they are.
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import { maxEvidenceBytes, toProofArchive, voucherNames } from '@recordproof/shared/evidence/evidence-archive.ts';
import { readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { readProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import { parseStrictJson } from '@recordproof/shared/evidence/strict-json.ts';
import { archiveBeside, evidenceBeside } from '@recordproof/verifier/proof-paths.ts';
import { CommandError } from '../platform/command-error.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import { type ArchiveForm, voucherBeside } from '../proofs/archive-names.ts';

const mostTwins = 100;

const besideOf = { proof: archiveBeside, evidence: evidenceBeside } as const;

type ExistingArchive = { readonly bytes: Uint8Array; readonly version: number | undefined };

async function find(path: string): Promise<ExistingArchive | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (!found.isFile() || found.size > maxEvidenceBytes) return { bytes: new Uint8Array(), version: undefined };
  const bytes = await readFile(path);
  return { bytes, version: readVersion(bytes) };
}

function readVersion(bytes: Uint8Array): number | undefined {
  try {
    return readProofManifest(parseStrictJson(readProofArchive(toProofArchive(bytes))['manifest.json']), '').fileVersion;
  } catch {
    return undefined;
  }
}

/** Of one proof, with any vouchers. */
function isSame(found: ExistingArchive | undefined, archive: Uint8Array): boolean {
  if (found === undefined) return false;
  if (isSameBytes(found.bytes, archive)) return true;
  return found.version !== undefined && isSameBytes(toProofArchive(found.bytes), toProofArchive(archive));
}

const olderPath = ({ file, form }: ArchiveTarget, version: number, twin: number): string =>
  besideOf[form](`${file}.v${version}${twin === 1 ? '' : `-${twin}`}`);

/** Writes, or links the file at `from`, where no other file exists. Resolves to the path. */
async function writeOlder(target: ArchiveTarget, version: number, archive: Uint8Array, from?: string): Promise<string> {
  for (let twin = 1; twin <= mostTwins; twin += 1) {
    const path = olderPath(target, version, twin);
    const found = await find(path);
    const isThere = isSame(found, archive);
    if (found !== undefined && !isThere) continue;
    if (!isThere) await (from === undefined ? writeWholeFile(path, archive, false) : link(from, path));
    if (from !== undefined) await moveVouchers(from, path); // an earlier run may have been killed between the link and this
    return path;
  }
  throw new CommandError('refused', `${olderPath(target, version, 1)} exists, and ${mostTwins - 1} more`, {
    try: 'move some of them away',
  });
}

/** They belong to the older archive, and would be taken for those of the newer one. */
async function moveVouchers(from: string, to: string): Promise<void> {
  for (const name of voucherNames) {
    const target = voucherBeside(to, name);
    if (!existsSync(target)) await rename(voucherBeside(from, name), target).catch(ignoreMissing);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

type ArchiveTarget = {
  /** The path of the file, or its path in a folder that mirrors it. */
  readonly file: string;
  readonly form: ArchiveForm;
};

/** Resolves to the path of the archive. */
export async function writeArchive(target: ArchiveTarget, version: number, archive: Uint8Array): Promise<string> {
  const path = besideOf[target.form](target.file);
  await mkdir(dirname(path), { recursive: true });
  const there = await find(path);
  if (isSame(there, archive)) return path;
  if (there === undefined) {
    await writeWholeFile(path, archive, false);
    return path;
  }
  if (there.version === undefined || there.version > version) return writeOlder(target, version, archive);
  await writeOlder(target, there.version, there.bytes, path);
  await writeWholeFile(path, archive, true);
  return path;
}
