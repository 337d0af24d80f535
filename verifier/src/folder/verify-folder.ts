// One verification of a folder: the list of its seal against the proof, as any original, and then the tree against the
// list. Without the list it is made again from the tree: what is proven then is all or nothing.
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
import { answerExistence } from '../existence/answer-existence.ts';
import type { ExistenceReport } from '../existence/existence-report.ts';
import { verifyFiles } from '../node/verify-files.ts';
import { type FolderOptions, isFolder } from '../options.ts';
import { UsageError } from '../shell/arguments.ts';
import { oneLine, type Terminal } from '../shell/terminal.ts';
import type { Outcome, VerificationReport } from '../verify/report.ts';
import { compareFolder, type FileCounts, noFiles, type OnFile } from './compare-folder.ts';

export type FolderReason = 'FOLDER_CHANGED' | 'FOLDER_UNREADABLE' | 'LIST_CHANGED' | FolderListError['code'];

export type FolderVerification = {
  readonly schemaVersion: 'recordproof.folder-verification.v1';
  readonly outcome: Outcome;
  readonly reason?: FolderReason | NonNullable<VerificationReport['reason']>;
  /** Whether the list was there, or was made again from the tree. */
  readonly list: 'FILE' | 'TREE';
  /** Absent when nothing says what to compare the files with. */
  readonly files?: FileCounts;
  /** Of the list: what every verification reports. */
  readonly proof: VerificationReport;
  /** Of the list: since when it existed, where something lies beside it that says so, or the caller asked. */
  readonly existence?: ExistenceReport;
};

type Streams = Pick<Terminal, 'stderr'>;
/** What the tree itself came to; the proof is judged apart from it. */
type Tree = { readonly outcome: Outcome; readonly reason?: FolderReason; readonly files?: FileCounts };

/** Throws UsageError when the options cannot be used. */
export async function verifyFolder(
  options: FolderOptions,
  streams: Streams,
  onFile: OnFile,
): Promise<FolderVerification> {
  if (!isFolder(options.folder)) throw new UsageError(`there is no folder ${oneLine(options.folder)}`);
  const isThere = existsSync(options.list);
  const count = openCount(streams.stderr);
  const tell: OnFile = file => {
    // Those that are the same may not be told at all.
    if (file.verdict !== 'same') count.clear();
    onFile(file);
  };
  const present = counted(hashFolder(options.folder), count.add);
  const { proof, existence, tree } = await (isThere ? verifyByList : verifyByTree)({
    options,
    streams,
    present,
    onFile: tell,
  });
  count.clear();
  const decides = severity(tree.outcome) < severity(proof.outcome) ? tree : proof;
  return {
    schemaVersion: 'recordproof.folder-verification.v1',
    outcome: decides.outcome,
    ...(decides.reason === undefined ? {} : { reason: decides.reason }),
    list: isThere ? 'FILE' : 'TREE',
    ...(tree.files === undefined ? {} : { files: tree.files }),
    proof,
    ...(existence === undefined ? {} : { existence }),
  };
}

type Proven = Pick<FolderVerification, 'proof' | 'existence'>;
type Judged = Proven & { readonly tree: Tree };

/** The list as any original, with what lies beside it. */
async function verifyList(
  options: FolderOptions,
  file: string,
  streams: Pick<Terminal, 'stdin' | 'stderr'>,
): Promise<Proven> {
  const files = await verifyFiles({ ...options, file }, streams);
  const existence = await answerExistence({ ...options, file: options.list }, files, nothing());
  return { proof: files.report, ...(existence === undefined ? {} : { existence }) };
}

const severity = (outcome: Outcome): number => ['ERROR', 'INVALID', 'INDETERMINATE', 'VALID'].indexOf(outcome);

const isProvenContent = ({ checks }: VerificationReport): boolean =>
  checks.some(({ id, status }) => id === 'content.original' && status === 'PASS');

/** One verification; `present` is hashed when it is asked for. */
type Case = {
  readonly options: FolderOptions;
  readonly streams: Streams;
  readonly present: AsyncIterable<readonly HashedFile[]>;
  readonly onFile: OnFile;
};

async function verifyByList({ options, streams, present, onFile }: Case): Promise<Judged> {
  const proven = await verifyList(options, options.list, { ...streams, stdin: nothing() });
  const { proof } = proven;
  // A list that nobody proved says nothing about the files.
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
  const made = writeFolderList(toEntries(present, files, onFile));
  const proven = await verifyList(options, '-', { ...streams, stdin: made });
  const { outcome, reason } = judge(files);
  const tree = { outcome, ...(reason === undefined ? {} : { reason }) };
  return { ...proven, tree: isProvenContent(proven.proof) ? { ...tree, files } : tree };
}

/** What no list can hold was added; what cannot be read leaves the tree without a list. */
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

/** On a terminal: how many files so far, on a line of its own that is gone when something is told. */
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
