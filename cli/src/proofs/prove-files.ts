// Storing and proving of files: the proof of each is written next to the file. All are stored before the first is
// waited for: a batch may need many files to become due. Once a file is stored, its id is reported even if the proof
// fails.
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { CommandError } from '../platform/command-error.ts';
import { toFailure } from '../platform/failure.ts';
import { printable, writeMessage } from '../platform/output.ts';
import { endingOf, type Failed, type Reports, reportEach } from '../platform/report.ts';
import { extra, linesOf, name } from '../platform/table.ts';
import type { Transfers } from '../platform/transfers.ts';
import { type BulkUploads, openBulkUploads } from '../uploads/bulk-uploads.ts';
import { listEmpty, sumSizes } from '../uploads/collect-files.ts';
import type { FinishedFiles } from '../uploads/finished-files.ts';
import { type UploadReport, uploadOne } from '../uploads/upload-one.ts';
import { type ArchiveForm, listBeside } from './archive-names.ts';
import { BulkProofs } from './bulk-proofs.ts';
import { isThere, rejectExisting } from './existing-archive.ts';
import { type FetchArchive, fetchProof, type TimeLeft } from './fetch-proof.ts';
import { writeEvidence } from './write-evidence.ts';

export type ProveReport = Omit<UploadReport, 'status'> & {
  readonly status: 'proved' | 'uploaded';
  readonly proof: {
    readonly path: string;
    readonly proofId: string;
    /** Vouchers for its time that are not in the archive. */
    readonly vouchers: readonly string[];
  } | null;
};

const provedLines = linesOf<ProveReport>({
  STATUS: file => file.status.padEnd('uploaded'.length),
  ID: file => file.fileId.padStart(4),
  PROOF: extra(file => file.proof?.proofId ?? ''),
  WRITTEN: name(file => file.proof?.path ?? file.name),
});

export type ProveOptions = {
  readonly proxied: boolean;
  readonly targetFileId: string | undefined;
  readonly contentType?: string;
  readonly skipExisting: boolean;
  /** The folder of files from a named folder. */
  readonly folders: ReadonlyMap<string, string>;
  readonly wait: boolean;
  /** For all files together. */
  readonly maxWaitSeconds: number;
  readonly force: boolean;
  /** The files that this command has stored already, in this run or in an interrupted one. */
  readonly finished: FinishedFiles;
  /** Waits for vouchers of the time. */
  readonly isVouched: boolean;
  readonly form: ArchiveForm;
  /** The path of a file's archive. */
  readonly toArchivePath: (path: string) => string;
};

const commandLine = 'recordproof prove';
/** Without existing archives and vouchers next to their originals. */
export function leaveOutArchives(paths: readonly string[]): { files: string[]; archives: string[] } {
  const archivesOfThese = new Set(paths.flatMap(listBeside));
  return {
    files: paths.filter(path => !archivesOfThese.has(path)),
    archives: paths.filter(path => archivesOfThese.has(path)),
  };
}

export async function proveFiles(
  transfers: Transfers,
  paths: readonly string[],
  options: ProveOptions,
): Promise<Reports<ProveReport>> {
  const show = (done: ProveReport): void => transfers.print(provedLines([done]));
  transfers.line.plan(paths.length, await sumSizes(paths));
  const { skipExisting, folders, contentType, finished } = options;
  const together = options.targetFileId === undefined ? await leaveOutProved(paths, options) : [];
  const bulk = await openBulkUploads(transfers, together, {
    skipExisting,
    folders,
    finished,
    ...(contentType !== undefined && { contentType }),
  });
  const stored = await reportEach(
    paths,
    path => path,
    commandLine,
    path => store(transfers, bulk, path, options),
    options.wait ? {} : { show },
  );
  if (!options.wait) return stored;
  const timeLeft = { leftMs: options.maxWaitSeconds * 1000 };
  const open = stored.files.filter(isStored);
  const proofs = new BulkProofs(
    transfers,
    open.map(({ fileId }) => fileId),
  );
  const fetchArchive: FetchArchive = (fileId, _signal, isVouched) => proofs.fetch(fileId, isVouched);
  transfers.line.plan(open.length);
  const proved = await reportEach(
    open,
    file => file.name,
    commandLine,
    file => prove(transfers, file, { ...options, timeLeft, fetchArchive }),
    { isOnly: paths.length === 1, show },
  ).catch(error => {
    if (transfers.signal.aborted)
      writeMessage(`stored, but not waited for; later: ${toExport(open.map(file => file.fileId))}`);
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

/** Whether the same command would have nothing left to do: no file to store, no proof to wait for. */
export async function isOver(
  { files }: Reports<ProveReport>,
  { wait, toArchivePath }: Pick<ProveOptions, 'wait' | 'toArchivePath'>,
): Promise<boolean> {
  const failed = files.filter(({ status }) => status === 'failed').map(({ name }) => name);
  const empty = new Set(await listEmpty(failed));
  for (const path of failed) {
    if (empty.has(path)) continue;
    if (!wait || !(await isThere(toArchivePath(path)))) return false;
  }
  return true;
}

/** Files whose archive path will be rejected are not sent either. */
async function leaveOutProved(
  paths: readonly string[],
  { wait, force, toArchivePath }: ProveOptions,
): Promise<string[]> {
  if (!wait || force) return [...paths];
  const open: string[] = [];
  for (const path of paths) if (!(await isThere(toArchivePath(path)))) open.push(path);
  return open;
}

const isStored = (report: ProveReport | Failed): report is ProveReport => report.status !== 'failed';

const askOperator =
  'ask the administrator to start the server with ATTESTATION_PRODUCTION_ENABLED=true, or --profile laptop';

const toExport = (fileIds: readonly string[]): string => `recordproof proofs export ${fileIds.join(' ')}`;

async function store(
  transfers: Transfers,
  bulk: BulkUploads,
  path: string,
  options: ProveOptions,
): Promise<ProveReport> {
  if (options.wait && !options.force) await rejectExisting(options.toArchivePath(path), path);
  const { targetFileId, contentType, skipExisting, finished } = options;
  const folder = options.folders.get(path);
  const mode = options.proxied ? 'proxied' : 'direct';
  const upload = { path, mode, resume: 'allow', jobs: 4, skipExisting, finished } as const;
  const special = {
    ...(targetFileId !== undefined && { targetFileId }),
    ...(contentType !== undefined && { contentType }),
    ...(folder !== undefined && { folder }),
  };
  const sent = (await bulk.upload(path)) ?? (await uploadOne(transfers, { ...upload, ...special }, path));
  return { ...sent, status: 'uploaded', proof: null };
}

type ArchiveOptions = Pick<ProveOptions, 'force' | 'isVouched' | 'form' | 'toArchivePath'> & {
  readonly timeLeft: TimeLeft;
  readonly fetchArchive: FetchArchive;
};

async function prove(transfers: Transfers, file: ProveReport, options: ArchiveOptions): Promise<ProveReport> {
  transfers.line.begin(file.name, 'waiting for the proof of');
  try {
    return await fetchAndWrite(transfers, file, options);
  } catch (error) {
    if (transfers.signal.aborted) throw error;
    const { ending, message, tryThis, api } = toFailure(error, commandLine);
    const later = api?.detail?.reason === 'ATTESTATION_OFF' ? askOperator : `later: ${toExport([file.fileId])}`;
    throw new CommandError(ending, `stored as file ${file.fileId}, but ${message}`, {
      try: tryThis ?? later,
      cause: error,
    });
  } finally {
    transfers.line.end();
  }
}

async function fetchAndWrite(
  transfers: Transfers,
  file: ProveReport,
  { timeLeft, fetchArchive, force, isVouched, form, toArchivePath }: ArchiveOptions,
): Promise<ProveReport> {
  let isSaid = false;
  const onWait = (): void => {
    if (!isSaid && !process.stderr.isTTY)
      writeMessage(`${printable(file.name)}: stored as file ${file.fileId}, waiting for its proof`);
    isSaid = true;
  };
  const waiting = { timeLeft, isVouched, form, signal: transfers.signal, onWait };
  const { evidence, entries, proofId, unvouched } = await fetchProof(fetchArchive, file.fileId, waiting);
  const proved = parseUtf8(entries['file.hash']);
  if (proved !== `${file.contentHash}\n`) {
    const problem = `the server sent a proof of ${proved.trim()} for file ${file.fileId}, which is ${file.contentHash}`;
    throw new CommandError('damaged', problem, { try: 'do not use it, and tell the administrator of the server' });
  }
  const path = toArchivePath(file.name);
  const vouchers = await writeEvidence(evidence, { path, form, force });
  if (unvouched) throw unvouched;
  return { ...file, status: 'proved', proof: { path, proofId, vouchers } };
}
