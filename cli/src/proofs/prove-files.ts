// Stores files, then waits for the proof of each and writes it beside the file. All are stored before the first is waited
// for: a batch may need many files to become due. Whatever happens after a file is stored, its id is told.
import { lstat } from 'node:fs/promises';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { Fixable } from '../fixable.ts';
import { printable, say } from '../output.ts';
import type { TransferKit } from '../transfer/kit.ts';
import { endingOf, type Failed, type Reports, reportEach, toFileFailure } from '../transfer/report.ts';
import { type UploadReport, uploadOne } from '../transfer/upload-one.ts';
import { fetchProof, writeProof } from './fetch-proof.ts';

export type ProveReport = Omit<UploadReport, 'status'> & {
  readonly status: 'proved' | 'uploaded';
  readonly proof: { readonly path: string; readonly proofId: string } | null;
};

export type ProveWish = {
  readonly proxied: boolean;
  readonly targetFileId: string | undefined;
  readonly skipExisting: boolean;
  readonly wait: boolean;
  /** For all files together. */
  readonly patienceSeconds: number;
  readonly force: boolean;
};

const commandLine = 'recordproof prove';
const archiveSuffix = '.proof.zip';
const toArchivePath = (path: string): string => path + archiveSuffix;

/** Without the archives that lie beside the files they prove. */
export function leaveOutArchives(paths: readonly string[]): { files: string[]; archives: string[] } {
  const archivesOfThese = new Set(paths.map(toArchivePath));
  return {
    files: paths.filter(path => !archivesOfThese.has(path)),
    archives: paths.filter(path => archivesOfThese.has(path)),
  };
}

export async function proveFiles(
  kit: TransferKit,
  paths: readonly string[],
  wish: ProveWish,
): Promise<Reports<ProveReport>> {
  const stored = await reportEach(
    paths,
    path => path,
    commandLine,
    path => store(kit, path, wish),
  );
  if (!wish.wait) return stored;
  const until = performance.now() + wish.patienceSeconds * 1000;
  const open = stored.files.filter(isStored);
  const proved = await reportEach(
    open,
    file => file.name,
    commandLine,
    file => prove(kit, file, { until, force: wish.force }),
    { isOnly: paths.length === 1 },
  ).catch(error => {
    if (kit.signal.aborted) say(`stored, but not waited for; later: ${toExport(open.map(file => file.fileId))}`);
    throw error;
  });
  const ends = new Map<ProveReport | Failed, ProveReport | Failed>(
    proved.files.map((end, at) => [open[at] ?? end, end]),
  );
  return {
    files: stored.files.map(file => ends.get(file) ?? file),
    failed: stored.failed + proved.failed,
    ending: endingOf([stored.ending, proved.ending]),
  };
}

const isStored = (report: ProveReport | Failed): report is ProveReport => report.status !== 'failed';

const toExport = (fileIds: readonly string[]): string => `recordproof proofs export ${fileIds.join(' ')}`;

async function store(kit: TransferKit, path: string, wish: ProveWish): Promise<ProveReport> {
  if (wish.wait && !wish.force) await refuseExisting(toArchivePath(path));
  const { targetFileId, skipExisting } = wish;
  const mode = wish.proxied ? 'proxied' : 'direct';
  const upload = { path, mode, resume: 'allow', jobs: 4, skipExisting } as const;
  const sent = await uploadOne(kit, { ...upload, ...(targetFileId !== undefined && { targetFileId }) }, path);
  return { ...sent, status: 'uploaded', proof: null };
}

/** Before anything is stored for it. */
async function refuseExisting(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined)) === undefined) return;
  throw new Fixable('refused', `${path} exists`, { try: 'add --force to replace it' });
}

type Patience = { readonly until: number; readonly force: boolean };

async function prove(kit: TransferKit, file: ProveReport, patience: Patience): Promise<ProveReport> {
  try {
    return await fetchAndWrite(kit, file, patience);
  } catch (error) {
    if (kit.signal.aborted) throw error;
    const { ending, message, tryThis } = toFileFailure(error, commandLine);
    throw new Fixable(ending, `stored as file ${file.fileId}, but ${message}`, {
      try: tryThis ?? `later: ${toExport([file.fileId])}`,
      cause: error,
    });
  }
}

async function fetchAndWrite(kit: TransferKit, file: ProveReport, { until, force }: Patience): Promise<ProveReport> {
  let isTold = false;
  const onWait = (): void => {
    if (!isTold) say(`${printable(file.name)}: stored as file ${file.fileId}, waiting for its proof`);
    isTold = true;
  };
  const seconds = Math.max(0, (until - performance.now()) / 1000);
  const waiting = { seconds, signal: kit.signal, onWait };
  const { archive, entries, proofId } = await fetchProof(kit.server.client, file.fileId, waiting);
  if (parseUtf8(entries['file.hash']) !== `${file.contentHash}\n`)
    throw new Fixable('damaged', 'the proof that the server made is that of another file');
  const path = toArchivePath(file.name);
  await writeProof(path, archive, force);
  return { ...file, status: 'proved', proof: { path, proofId } };
}
