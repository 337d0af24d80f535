// Output of a folder verification: each file as soon as it is known, and the verdict last. Files are streamed and never
// collected.
import { describeExistence } from '../existence/describe-existence.ts';
import { existenceToText } from '../existence/plain-text.ts';
import { type Explanation, explain } from '../report/outcome-texts.ts';
import { allChecks, factLines, nextStepLines, openChecks, toVerdictLines } from '../report/text-report.ts';
import { isColoured, oneLine, type Terminal } from '../shell/terminal.ts';
import type { Outcome } from '../verify/report.ts';
import type { ComparedFile, FileCounts, OnFile } from './compare-folder.ts';
import type { FolderReason, FolderVerification } from './verify-folder.ts';

type Printer = {
  readonly onFile: OnFile;
  end(verification: FolderVerification): void;
};

type FolderTextOptions = {
  readonly format: 'text' | 'json';
  /** Also reports unchanged files and passed checks. */
  readonly isComplete: boolean;
};

type Stdout = Terminal['stdout'];

export function openPrinter(stdout: Stdout, { format, isComplete }: FolderTextOptions): Printer {
  const output = gather(stdout);
  const printer = format === 'json' ? printJson(output) : printText(output, isComplete);
  const onFile = (file: ComparedFile): void => {
    if (isComplete || file.verdict !== 'same') printer.onFile(file);
  };
  return {
    onFile,
    end(verification) {
      printer.end(verification);
      output.flush();
    },
  };
}

const enoughText = 64 * 1024;

/** Buffers lines, except on a terminal, where each is shown at once. */
function gather(stdout: Stdout): Stdout & { flush(): void } {
  let text = '';
  const flush = (): void => {
    if (text !== '') stdout.write(text);
    text = '';
  };
  return {
    isTTY: stdout.isTTY === true,
    flush,
    write(more) {
      text += more;
      if (stdout.isTTY === true || text.length >= enoughText) flush();
    },
  };
}

/** The files come first, so that the rest can follow at the end. */
function printJson(stdout: Stdout): Printer {
  let printedFiles = 0;
  const open = (): void => {
    if (printedFiles === 0) stdout.write('{\n  "compared": [');
  };
  return {
    onFile(file) {
      open();
      stdout.write(`${printedFiles === 0 ? '' : ','}\n    ${JSON.stringify(file)}`);
      printedFiles += 1;
    },
    end(verification) {
      open();
      const rest = JSON.stringify(verification, null, 2).slice('{\n'.length);
      stdout.write(`${printedFiles === 0 ? '' : '\n  '}],\n${rest}\n`);
    },
  };
}

const widest = 'unreadable'.length;

function printText(stdout: Stdout, isComplete: boolean): Printer {
  let printedFiles = 0;
  return {
    onFile({ path, verdict }) {
      stdout.write(`${verdict.padEnd(widest)}  ${oneLine(path)}\n`);
      printedFiles += 1;
    },
    end(verification) {
      if (printedFiles > 0) stdout.write('\n');
      stdout.write(toText(verification, isComplete, isColoured(stdout)));
    },
  };
}

const order = ['same', 'changed', 'missing', 'added', 'unreadable'] as const;

function toCountLine(files: FileCounts | undefined): string {
  if (files === undefined) return 'Files: not compared, because nothing that is proven says what they should be';
  const counts = order.filter(verdict => verdict !== 'unreadable' || files.unreadable > 0);
  const leftOut = files.leftOut === 0 ? '' : `; links and the like, which no seal covers: ${files.leftOut}`;
  return `Files: ${counts.map(verdict => `${files[verdict]} ${verdict}`).join(', ')}${leftOut}`;
}

const lists = {
  FILE: 'Below, the file is the list of the folder as it was sealed.',
  TREE: 'Below, the file is the list of the folder, made from it again: the list that was sealed is not there.',
};

function toText(verification: FolderVerification, isComplete: boolean, coloured: boolean): string {
  const { proof, list, files, outcome, existence } = verification;
  return [
    'RecordProof verification report of a folder',
    '',
    toCountLine(files),
    lists[list],
    '',
    ...factLines(proof),
    '',
    ...(isComplete ? allChecks(proof) : openChecks(proof)),
    '',
    ...toVerdictLines(outcome, explainFolder(verification), coloured),
    ...(isOfFolder(verification.reason) || isOtherList(verification) ? [] : nextStepLines(proof)),
    '',
    ...(existence === undefined
      ? []
      : ['When the list of the folder existed', '', existenceToText(describeExistence(existence, 'en'))]),
  ].join('\n');
}

const unreadList: Explanation = {
  headline: 'The list of the folder could not be read.',
  meaning: 'The proof is about this list, but it is none that a folder could be compared with.',
  limits: 'It says nothing about the files.',
};

const reasonTexts: Readonly<Record<FolderReason, Explanation>> = {
  FOLDER_CHANGED: {
    headline: 'The folder is not the one that was sealed.',
    meaning:
      'The list of the folder is the one that was recorded, but files are not what it says: changed, missing or added since. They are named above.',
    limits: 'It does not say who changed what, or when. Files that are the same are still the ones that were sealed.',
  },
  FOLDER_UNREADABLE: {
    headline: 'The folder could not be read to its end.',
    meaning: 'Some of it cannot be read, or was changed meanwhile. What it is, is named above.',
    limits: 'It says nothing about what could not be read.',
  },
  LIST_CHANGED: {
    headline: 'The list of the folder was changed while it was read.',
    meaning: 'It was read twice, and was not the same. Nothing that was said of the files above counts.',
    limits: 'It says nothing about the files.',
  },
  LIST_NOT_UTF8: unreadList,
  LIST_MALFORMED: unreadList,
  LIST_PATH: unreadList,
  LIST_ORDER: unreadList,
  LIST_TOO_LONG: unreadList,
};

const isOfFolder = (reason: FolderVerification['reason']): reason is FolderReason =>
  reason !== undefined && Object.hasOwn(reasonTexts, reason);

const isOtherList = ({ reason, list }: FolderVerification): boolean =>
  reason === 'CONTENT_HASH_MISMATCH' && list === 'TREE';

const allSame = 'Every file of the folder is byte for byte the one that was sealed, and none was added. ';
const withoutList: Explanation = {
  headline: 'The folder is not the one that was sealed, or the list of another time lies elsewhere.',
  meaning:
    'The list that was made from the folder now is not the one that was recorded. Which file differs can only be told with the list that was sealed: put it beside its archive.',
  limits: 'It does not say what was changed, or who did it.',
};

function explainFolder(verification: FolderVerification): Explanation {
  const { outcome, reason, files, proof } = verification;
  if (isOfFolder(reason)) return reasonTexts[reason];
  if (isOtherList(verification)) return withoutList;
  const explanation = explain(proof);
  const isWhole = files !== undefined && ends.includes(outcome);
  return isWhole ? { ...explanation, meaning: allSame + explanation.meaning } : explanation;
}

const ends: readonly Outcome[] = ['VALID', 'INDETERMINATE'];
