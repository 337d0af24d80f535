// The command `recordproof-verify [verify]`: from its arguments to the report on standard output.
import { answerExistence } from './existence/answer-existence.ts';
import { toExistenceText } from './existence/existence-text.ts';
import { openTeller } from './folder/folder-report.ts';
import { verifyFolder } from './folder/verify-folder.ts';
import { verifyFiles } from './node/verify-files.ts';
import { type FolderOptions, parseVerifyOptions, type ReportOptions, type VerificationOptions } from './options.ts';
import { toTextReport } from './report/text-report.ts';
import { exitCodes } from './shell/exit-codes.ts';
import type { Command } from './shell/run-command.ts';
import { isColoured, type Terminal } from './shell/terminal.ts';
import type { Outcome } from './verify/report.ts';

async function verify(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseVerifyOptions(args);
  if ('folder' in options) return exitCodes[await tellFolder(options, terminal)];
  const { report, text } = await verifyAndAnswer(options, options, terminal);
  terminal.stdout.write(options.format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : text());
  return exitCodes[report.outcome];
}

/** The report on one file, with the answer to when it existed where something lies beside it that says so. */
export async function verifyAndAnswer(
  options: VerificationOptions,
  { isComplete }: Pick<ReportOptions, 'isComplete'>,
  terminal: Pick<Terminal, 'stdin' | 'stdout' | 'stderr'>,
) {
  const files = await verifyFiles(options, terminal);
  const existence = await answerExistence(options, files, terminal.stdin);
  const text = () =>
    toTextReport(files.report, { isComplete, isColoured: isColoured(terminal.stdout) }) +
    (existence === undefined ? '' : `\nWhen it existed\n\n${toExistenceText(existence)}`);
  return { report: { ...files.report, ...(existence !== undefined && { existence }) }, text };
}

/** Tells of each file as it goes. */
export async function tellFolder(
  options: FolderOptions & ReportOptions,
  terminal: Pick<Terminal, 'stdout' | 'stderr'>,
): Promise<Outcome> {
  const teller = openTeller(terminal.stdout, options);
  const verification = await verifyFolder(options, terminal, teller.onFile);
  teller.end(verification);
  return verification.outcome;
}

const help = `Checks a file against its signed proof archive.

  recordproof-verify [verify] FILE [ARCHIVE.zip] [options]
  recordproof-verify [verify] --file FILE --proof ARCHIVE.zip [options]
  recordproof-verify [verify] --folder DIR [--proof ARCHIVE.zip] [options]

  FILE, --file FILE           the original file; - reads standard input
  ARCHIVE.zip, --proof FILE   the proof archive or the evidence archive; FILE.proof.zip or FILE.evidence.zip when only
                              FILE is named
  --folder DIR                a folder that was sealed: says of each file whether it is the same, changed, missing
                              or added; DIR may stand for FILE. The archive is DIR.folder.json.proof.zip when none
                              is named; the list of the folder lies beside it, or is made again
  --trusted-key KEY.json      the issuer's key, obtained by a way that you trust
  --require-trusted-key       no key that only the issuer names, when asked, is good enough
  --format text|json          report for people (default) or for programs
  --all                       show the checks that passed and the files that are the same, too
  --max-file-bytes SIZE       refuse larger originals, as 10GB (default 1TB)

Since when the file existed is added to the report when FILE.tlog-proof, FILE.tsr or FILE.ots is there, or one of these
is given. It changes no exit code. The command existence asks only that.
  --policy FILE               the ledgers and witnesses that you trust, and how many must agree (C2SP tlog-policy)
  --tsa-roots FILE.pem        roots of time-stamping authorities that you trust
  --bitcoin-headers FILE      block headers that you trust
  --require LIST              what must be there, as witness:2,rfc3161

Other commands, each of which tells more with --help:
  certificate                 writes what was found as a document to print and to file
  existence                   says since when the file existed, on whose word, without asking anybody
  serve                       the web page and service
  page                        writes the page as one file that works offline
  gateway                     asks a chain for batch roots, so that nobody has to ask the issuer
  witness                     cosigns the checkpoints of ledgers, and never two that contradict each other
  completion                  prints the completion script for a shell

Online, which VALID needs:
  --server URL                a RecordProof server: asks it for status, root, ledger entry and, without a trusted
                              key, the key
or, when issuer and chain are asked at addresses of their own:
  --online                    ask for the current status and the root on the chain
  --issuer-base-url URL       where the issuer answers
  --chain-url-template URL    where the chain answers; with {chainType}, {chainId}, {groupId},
                              {contractAddress} and {batchNo}
  --ledger-url URL            where the ledger answers, when the entry of the batch and its time are to be read
  --allow-host HOST           a host that may be asked; repeat for more
  --allow-http                tests only: plain HTTP
  --allow-private-addresses   tests only: private addresses

Exit codes: 0 VALID, 2 INVALID, 3 INDETERMINATE, 4 ERROR, 64 wrong arguments.
Unless it is told whom to ask no connection is opened, and the best result is INDETERMINATE.
`;

export const verifyCommand: Command = { name: 'verify', help, run: verify };
