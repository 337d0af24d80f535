// Verification of a sealed folder: the list against the proof, like any original, and then the folder against the list.
// Without the list it is recreated from the folder: the result is then all or nothing.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { toDigest } from '@recordproof/shared/evidence/digest.ts';
import {
  type FolderEntry,
  FolderListError,
  readFolderList,
  writeFolderList,
} from '@recordproof/shared/evidence/folder-list.ts';
import { type HashedFile, hashFolder } from '@recordproof/shared/node/hash-folder.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { answerExistence } from '../existence/answer-existence.ts';
import type { ExistenceReport } from '../existence/existence-report.ts';
import { verifyFiles } from '../node/verify-files.ts';
import { type FolderOptions, isFolder } from '../options.ts';
import { oneLine, type Terminal } from '../shell/terminal.ts';
import type { Outcome, VerificationReport } from '../verify/report.ts';
import { compareFolder, type FileCounts, noFiles, type OnFile } from './compare-folder.ts';

export type FolderReason = 'FOLDER_CHANGED' | 'FOLDER_UNREADABLE' | 'LIST_CHANGED' | FolderListError['code'];

export type FolderVerification = {
  readonly schemaVersion: 'recordproof.folder-verification.v1';
  readonly outcome: Outcome;
  readonly reason?: FolderReason | VerificationReport['reason'];
  /** Whether the list was read from a file, or recreated from the folder. */
  readonly list: 'FILE' | 'TREE';
  /** Absent if there is nothing to compare the files with. */
  readonly files?: FileCounts | undefined;
  /** The report on the list. */
  readonly proof: VerificationReport;
  /** Since when the list existed, if there are vouchers next to it, or the caller asked. */
  readonly existence?: ExistenceReport | undefined;
};

type Streams = Pick<Terminal, 'stderr'>;
/** The result for the folder alone; the proof is verified separately. */
type Tree = Pick<FolderVerification, 'outcome' | 'files'> & { readonly reason?: FolderReason | undefined };

/** Throws UsageError for unusable options. */
export async function verifyFolder(
  options: FolderOptions,
  streams: Streams,
  onFile: OnFile,
): Promise<FolderVerification> {
  if (!isFolder(options.folder)) throw new UsageError(`there is no folder ${oneLine(options.folder)}`);
  const isThere = existsSync(options.list);
  const count = openCount(streams.stderr);
  const reportFile: OnFile = file => {
    // Unchanged files may not be reported at all.
    if (file.verdict !== 'same') count.clear();
    onFile(file);
  };
  const present = counted(hashFolder(options.folder), count.add);
  const { proof, existence, tree } = await (isThere ? verifyByList : verifyByTree)({
    options,
    streams,
    present,
    onFile: reportFile,
  });
  count.clear();
  const decides = severity(tree.outcome) < severity(proof.outcome) ? tree : proof;
  return {
    schemaVersion: 'recordproof.folder-verification.v1',
    outcome: decides.outcome,
    reason: decides.reason,
    list: isThere ? 'FILE' : 'TREE',
    files: tree.files,
    proof,
    existence,
  };
}

type Proven = Pick<FolderVerification, 'proof' | 'existence'>;
type Judged = Proven & { readonly tree: Tree };

/** The list like any original, with the files next to it. */
async function verifyList(
  options: FolderOptions,
  file: string,
  streams: Pick<Terminal, 'stdin' | 'stderr'>,
): Promise<Proven> {
  const files = await verifyFiles({ ...options, file }, streams);
  return {
    proof: files.report,
    existence: await answerExistence({ ...options, file: options.list }, files, nothing()),
  };
}

const severity = (outcome: Outcome): number => ['ERROR', 'INVALID', 'INDETERMINATE', 'VALID'].indexOf(outcome);

const isProvenContent = ({ checks }: VerificationReport): boolean =>
  checks.some(({ id, status }) => id === 'content.original' && status === 'PASS');

/** One verification; `present` is hashed lazily. */
type Case = {
  readonly options: FolderOptions;
  readonly streams: Streams;
  readonly present: AsyncIterable<readonly HashedFile[]>;
  readonly onFile: OnFile;
};

async function verifyByList({ options, streams, present, onFile }: Case): Promise<Judged> {
  const proven = await verifyList(options, options.list, { ...streams, stdin: nothing() });
  const { proof } = proven;
  // An unproven list says nothing about the files.
  if (!isProvenContent(proof)) return { ...proven, tree: { outcome: 'VALID' } };
  const again = createHash('sha256');
  const list = readFolderList(hashing(createReadStream(options.list, { highWaterMark: 256 * 1024 }), again));
  try {
    const files = await compareFolder(list, present, onFile);
    const isSame = toDigest(again.digest()) === proof.summary.computedContentHash;
    return { ...proven, tree: isSame ? judge(files) : { outcome: 'ERROR', reason: 'LIST_CHANGED' } };
  } catch (problem) {
    if (!(problem instanceof FolderListError)) throw problem;
    return { ...proven, tree: { outcome: 'ERROR', reason: problem.code } };
  }
}

async function verifyByTree({ options, streams, present, onFile }: Case): Promise<Judged> {
  const files = noFiles();
  const made = listOrNothing(writeFolderList(toEntries(present, files, onFile)));
  const proven = await verifyList(options, '-', { ...streams, stdin: made });
  const tree = judge(files);
  return { ...proven, tree: isProvenContent(proven.proof) ? tree : { ...tree, files: undefined } };
}

/** An empty folder has no list: the comparison with the proof then fails (INVALID). */
async function* listOrNothing(list: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* list;
  } catch (problem) {
    if (!(problem instanceof FolderListError && problem.code === 'LIST_MALFORMED')) throw problem;
  }
}

/** Names invalid in lists count as added; an unreadable entry prevents a list. */
async function* toEntries(
  hashed: AsyncIterable<readonly HashedFile[]>,
  counts: FileCounts,
  onFile: OnFile,
): AsyncGenerator<readonly FolderEntry[]> {
  for await (const some of hashed) {
    const entries: FolderEntry[] = [];
    for (const file of some) {
      const verdict = file.kind === 'hashed' ? 'same' : file.kind === 'problem' ? 'unreadable' : 'added';
      if (file.kind === 'hashed') entries.push({ path: file.path, size: file.size, sha256: file.sha256 });
      counts[file.kind === 'other' ? 'leftOut' : verdict] += 1;
      if (verdict !== 'same' && file.kind !== 'other') onFile({ path: file.path, verdict });
    }
    yield entries;
  }
}

function judge(files: FileCounts): Tree {
  if (files.unreadable > 0) return { outcome: 'ERROR', reason: 'FOLDER_UNREADABLE', files };
  if (files.changed + files.missing + files.added > 0) return { outcome: 'INVALID', reason: 'FOLDER_CHANGED', files };
  return { outcome: 'VALID', files };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* counted(
  hashed: AsyncIterable<HashedFile[]>,
  add: (more: number) => void,
): AsyncGenerator<HashedFile[]> {
  for await (const some of hashed) {
    add(some.length);
    yield some;
  }
}

async function* hashing(blocks: AsyncIterable<Uint8Array>, hash: { update(bytes: Uint8Array): unknown }) {
  for await (const block of blocks) {
    hash.update(block);
    yield block;
  }
}

const shownEvery = 1000;

/** A progress line on a terminal with the number of files, removed before other output. */
function openCount(stderr: Streams['stderr']) {
  let [count, shown, isOn] = [0, 0, false];
  return {
    add(more: number): void {
      count += more;
      if (stderr.isTTY !== true || count - shown < shownEvery) return;
      stderr.write(`\rReading the folder: ${count} files  `);
      [shown, isOn] = [count, true];
    },
    clear(): void {
      if (isOn) stderr.write('\r\u001b[K');
      isOn = false;
    },
  };
}
