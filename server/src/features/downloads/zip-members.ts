// ZIP members for files, optionally with their proofs. Names include folders, are unique, and are safe to extract on
// any system.
import { Readable } from 'node:stream';
import type { File } from '@recordproof/shared/api/files.ts';
import { joinPath, splitName, withParents } from '@recordproof/shared/file-path.ts';
import { toSavedName } from '@recordproof/shared/shown-name.ts';
import type { Server } from '../../platform/server.ts';
import type { ZipMember } from '../../platform/zip-stream.ts';
import type { FileRow } from '../files/index.ts';

type Zipped = {
  readonly files: readonly FileRow[];
  /** The file's path in the ZIP. */
  readonly toPath: (file: FileRow) => string | null;
  readonly open: (file: FileRow) => Promise<AsyncIterable<Uint8Array>>;
  /** Proofs under proofs/, if issued; the length of such a ZIP is not known in advance. */
  readonly proofs: boolean;
};

export function toZipMembers({ hooks }: Pick<Server, 'hooks'>, { files, toPath, open, proofs }: Zipped): ZipMember[] {
  const proven = proofs ? files.filter(file => file.proof_status === 'ISSUED') : [];
  const [findArchive] = hooks.of('findProofArchive');
  const names = toZipNames([
    ...files.map(file => ({ path: toPath(file), fileName: file.file_name })),
    ...proven.map(file => ({ path: joinPath('proofs', toPath(file) ?? ''), fileName: `${file.file_name}.proof.zip` })),
  ]);
  const toMember = (file: FileRow, at: number) => ({ name: names[at] ?? '', modifiedAt: file.created_at });
  return [
    ...files.map((file, at) => ({ ...toMember(file, at), size: file.file_size, open: () => open(file) })),
    ...proven.map((file, at) => ({
      ...toMember(file, files.length + at),
      size: null,
      open: async () => {
        const archive = (await findArchive?.(file)) ?? null;
        return archive === null ? null : Readable.from([archive]);
      },
    })),
  ];
}

type Named = Pick<File, 'path' | 'fileName'>;

/** Also removes drive letters. */
const toSafeFolder = (path: string): string => path.replaceAll(':', '_').split('/').map(toSavedName).join('/');

/** Unique regardless of case, and never outside the extraction folder. */
function toZipNames(members: readonly Named[]): string[] {
  const folders = new Map<string, string>();
  for (const { path } of members) if (path !== null && !folders.has(path)) folders.set(path, toSafeFolder(path));
  const taken = new Set([...folders.values()].flatMap(withParents).map(folder => folder.toLowerCase()));
  const copies = new Map<string, number>();
  return members.map(({ path, fileName }) => {
    const folder = path === null ? '' : `${folders.get(path)}/`;
    const name = toSavedName(fileName);
    const [stem, ending] = splitName(name);
    let free = folder + name;
    const folded = free.toLowerCase();
    let copy = copies.get(folded) ?? 2; // lower numbers are taken
    for (; taken.has(free.toLowerCase()); copy += 1) free = `${folder}${stem} (${copy})${ending}`;
    copies.set(folded, copy);
    taken.add(free.toLowerCase());
    return free;
  });
}
